/**
 * diagnosis: from evidence to findings that quote it. Pure: imports api and lib only; whoever asks gathers the evidence.
 * A rule is a file in `rules/`, silent unless something it can quote says so.
 */
export { diagnosePod } from './diagnose-pod.ts';
export type * from './evidence/kinds.ts';
export type * from './evidence/pod-evidence.ts';
export type * from './finding.ts';
export * from './wanted.ts';
export type { ServiceName } from './facts/dependencies.ts';
export { quoteText } from './quote-text.ts';
export { listeningText } from './facts/listening.ts';
export { formatAge, plural } from './facts/text.ts';
export { diagnoseNode } from './diagnose-node.ts';
export { diagnoseWorkload } from './diagnose-workload.ts';
export type * from './evidence/workload-evidence.ts';
