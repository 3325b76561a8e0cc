/** Set-up before the end-to-end suites: what they need is there, and what killed tests left is gone. */
import { removeDeadLabs } from '../support/lab.ts';
import { removeAbandoned } from './abandoned.ts';
import { fetchNeeds } from './fetch.ts';

export default async function setUp(): Promise<void> {
  await fetchNeeds();
  await removeAbandoned();
  await removeDeadLabs();
}
