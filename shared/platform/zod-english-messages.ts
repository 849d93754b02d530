import { en } from 'zod/locales';
import * as z from 'zod/mini';

/** The small variant of zod says no more than "Invalid input" of a fault unless it is given a language. */
z.config(en());
