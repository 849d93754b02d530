import { en } from 'zod/locales';
import * as z from 'zod/mini';

// zod/mini has no messages of its own. Without a locale, the message of every issue is "Invalid input".
z.config(en());
