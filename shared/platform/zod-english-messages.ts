import { en } from 'zod/locales';
import * as z from 'zod/mini';

// zod/mini has no messages: without a locale, every issue is just "Invalid input".
z.config(en());
