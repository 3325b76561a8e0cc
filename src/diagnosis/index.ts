/**
 * diagnosis: turns evidence into findings that quote it. Pure: it imports api and lib only, and its callers gather the evidence.
 * Each rule is a file in `rules/`, and finds nothing without evidence to quote.
 */
export { diagnosePod } from './diagnose-pod.ts';
export { causeOfPod, complaintWanted, type PodCause } from './cause-of-pod.ts';
export type * from './evidence/kinds.ts';
export type * from './evidence/pod-evidence.ts';
export type * from './finding.ts';
export * from './wanted.ts';
export { isOfPod, type ServiceName, waitingInits } from './facts/dependencies.ts';
export type * from './evidence/rollout-evidence.ts';
export { isOfRollout, rolloutsOfRecords, rolloutsOfSets, rolloutText } from './rollout/rollouts.ts';
export type { RefusedRight } from './facts/refused-right.ts';
export { namesAccount } from './facts/refused-rights.ts';
export { quoteText } from './quote-text.ts';
export { oddContent, oddSecret } from './facts/odd-content.ts';
export { type VolumeTrouble, volumeTrouble } from './facts/local-volumes.ts';
export { TEMPLATE_HASH } from './facts/rollout-overlap.ts';
export { listeningText } from './facts/listening.ts';
export { formatAge, formatBytes, plural } from './facts/text.ts';
export { diagnoseAutoscaler } from './diagnose-autoscaler.ts';
export { diagnoseBudget } from './diagnose-budget.ts';
export { diagnoseClaim } from './diagnose-claim.ts';
export { diagnoseCronJob } from './diagnose-cron-job.ts';
export { diagnoseGroup } from './diagnose-group.ts';
export type * from './evidence/autoscaler-evidence.ts';
export type * from './evidence/claim-evidence.ts';
export type * from './evidence/group-evidence.ts';
export { type RemainingResource, remainingResources } from './group/namespace-rules.ts';
export type * from './evidence/object-evidence.ts';
export { diagnoseNode } from './diagnose-node.ts';
export { diagnoseService } from './diagnose-service.ts';
export { diagnoseWorkload } from './diagnose-workload.ts';
export type * from './evidence/workload-evidence.ts';
export type * from './evidence/service-evidence.ts';
export type * from './evidence/node-evidence.ts';
export type * from './evidence/storage-evidence.ts';
export type * from './evidence/volume-evidence.ts';
export { type Candidate, driverCandidates } from './facts/driver-parts.ts';
export { diagnoseAttachment } from './diagnose-attachment.ts';
export { diagnoseVolume } from './diagnose-volume.ts';
