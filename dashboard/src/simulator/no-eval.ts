import { config } from 'zod';

/**
 * The page's content security policy forbids code that is made at run time, and says so in the console when somebody
 * only asks whether it is allowed, as Zod does. Imported first: schemas ask when they are made.
 */
config({ jitless: true });
