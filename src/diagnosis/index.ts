/**
 * diagnosis: turns evidence into findings that quote it. Pure: it imports api and lib only, and its callers gather the evidence.
 * Each rule is a file in `rules/`, and finds nothing without evidence to quote.
 */
export { diagnosePod } from './diagnose-pod.ts';
export { causeOfPod, complaintWanted, type PodCause, wantedJob } from './cause-of-pod.ts';
export type * from './evidence/kinds.ts';
export type * from './evidence/pod-evidence.ts';
export type * from './finding.ts';
export * from './wanted.ts';
export { unmetName } from './beside/unmet-names.ts';
export { configsBesideWanted, podsBesideWanted, withPodsBeside } from './beside/pods-beside.ts';
export {
  isSymptom,
  type Relations,
  type SickBeside,
  sickBesideWanted,
  othersBeside,
  withSickBeside,
} from './beside/sick-beside.ts';
export {
  isMeant,
  isSameTrouble,
  isToldAlready,
  type NextPeers,
  nextPeers,
  peersOfWell,
  type Step,
  troubleOf,
  withRoot,
} from './follow/next-peer.ts';
export { isRecovered } from './facts/pod/recovered.ts';
export { servicesUsed, withComplaintOf } from './follow/quiet-peers.ts';
export { serversWanted } from './servers-wanted.ts';
export { configMapsOf, variableSecrets } from './facts/configs/config-references.ts';
export { certificateMount } from './facts/files/certificate-mounts.ts';
export { isOfPod, type ServiceName, waitingInits } from './facts/peers/dependencies.ts';
export { type HeardWanted, heardWanted } from './facts/peers/heard-ports.ts';
export { declaredPorts, targetOf } from './service/service-facts.ts';
export { nearestNamespaces } from './facts/peers/near-namespaces.ts';
export { nearestPod, ownLabelsText } from './facts/peers/nearest-pod.ts';
export { strayEndpoints } from './facts/peers/stray-endpoints.ts';
export { type PodName, setOf } from './facts/peers/pod-names.ts';
export type * from './evidence/rollout-evidence.ts';
export { isOfRollout, rolloutsOfRecords, rolloutsOfSets, rolloutText } from './rollout/rollouts.ts';
export type { RefusedRight } from './facts/pod/refused-right.ts';
export { namesAccount } from './facts/pod/refused-rights.ts';
export { quoteText } from './quote-text.ts';
export { oddContent, oddSecret } from './facts/configs/odd-content.ts';
export { databaseNamed } from './facts/peers/peer-name.ts';
export { renewerOf, asleepWriter, type JobWanted, meantJob } from './facts/peers/failed-jobs.ts';
export { credentialMark, HOLDS_CREDENTIAL } from './facts/servers/credential-marks.ts';
export { secretAddresses } from './facts/peers/secret-addresses.ts';
export { type VolumeTrouble, volumeTrouble } from './facts/placement/local-volumes.ts';
export { ownerOf } from './facts/pod/owner-of.ts';
export { TEMPLATE_HASH } from './facts/pod/rollout-overlap.ts';
export { listeningText } from './facts/probes/listening.ts';
export { formatAge, formatBytes, plural } from './facts/words/text.ts';
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
export { isNodeDns } from './service/service-facts.ts';
export { goneServicesOf } from './workload/gone-pods.ts';
export { diagnoseWorkload, unmadeCause } from './diagnose-workload.ts';
export type * from './evidence/workload-evidence.ts';
export type * from './evidence/service-evidence.ts';
export type * from './evidence/node-evidence.ts';
export type * from './evidence/storage-evidence.ts';
export type * from './evidence/volume-evidence.ts';
export { type Candidate, driverCandidates } from './facts/placement/driver-parts.ts';
export { diagnoseAttachment } from './diagnose-attachment.ts';
export { diagnoseVolume } from './diagnose-volume.ts';
