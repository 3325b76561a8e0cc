/** Removes what is left of labs whose processes are no more: by hand, or when a test was killed. */
import { removeDeadLabs } from './lab.ts';

await removeDeadLabs();
