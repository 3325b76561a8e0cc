/** Removes the remains of labs whose processes have ended; started by hand, or after a test was killed. */
import { removeDeadLabs } from './lab.ts';

await removeDeadLabs();
