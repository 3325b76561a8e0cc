/**
 * log-analysis: finds the decisive line of a log and the names in it, and masks secrets. Pure; a leaf beside api and lib, because
 * node agent, diagnosis and command line show the same line.
 */
export * from './any-of.ts';
export type { Life } from './after-ready.ts';
export { answerBody, httpStatusIn } from './answer-body.ts';
export { besideWaiting } from './beside-waiting.ts';
export { saysAgain, timesIn } from './bare-words.ts';
export { complainsOf, type ComplaintOf, throwsOut } from './complains-of.ts';
export { complaintIn } from './complaint.ts';
export type { DecisiveLine } from './describe.ts';
export { doneThough } from './done-though.ts';
export { failsAgain, type FailsAgain } from './fails-again.ts';
export { msAfter, withoutFirstRefusals } from './first-refusals.ts';
export { type GivenUp, givenUpPrograms } from './given-up.ts';
export { isAccess as isAccessLine } from './grammar/index.ts';
export { type HeldConnections, mostConnections } from './held-connections.ts';
export { keepsFailing } from './keeps-failing.ts';
export { lastFailure } from './last-failure.ts';
export { losesLink } from './link-lost.ts';
export { type LockHolder, lockHolder } from './lock-waits.ts';
export { notLoaded } from './not-loaded.ts';
export { isSecretKey, MASK, maskSecrets, withoutKnown } from './mask-secrets.ts';
export * from './names.ts';
export { isOfPgBouncer } from './dialects/pgbouncer.ts';
export { isOfProbe } from './probe-lines.ts';
export * from './read-log.ts';
export { isRefusal } from './refusals.ts';
export { isAnsweredSince, pathIn, statusIn } from './request-lines.ts';
export { requestsFail } from './requests-fail.ts';
export { someFail, someRequestsFail } from './some-requests-fail.ts';
export { standingFault } from './standing-fault.ts';
export { workersDie } from './workers-die.ts';
export { standsAt, type StandsAt } from './stands-at.ts';
