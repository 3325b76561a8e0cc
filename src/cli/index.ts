/**
 * cli: the command line, one file per verb: definitions, help and printers. Verbs that start processes are implemented in
 * `main`.
 */
export type { AgentFlags } from './agent.ts';
export { callOf } from './called-as.ts';
export type { ClusterFlags } from './cluster-flags.ts';
export type { ClusterChoice, ClusterSession, ClusterVerb, WithCluster } from './cluster-session.ts';
export type { DownFlags } from './down.ts';
export { type ExitCode, exitCodes } from './exit-codes.ts';
export { type Cidr, type ListenAddress, parsePodCidr, type RuntimeChoice } from './flag-values.ts';
export type { HealerFlags } from './healer.ts';
export type { ImageOptions } from './image.ts';
export type { JoinFlags } from './join-flags.ts';
export { formatJoinToken, type JoinToken, parseAuthorityHash, parseJoinToken } from './join-token.ts';
export { type CliContext, runCommandLine, type Verbs } from './program.ts';
export type { ServerFlags } from './server.ts';
export type { StoreOptions } from './store.ts';
export type { TokenOptions } from './token.ts';
export { defaultListen, defaultPodCidr, type UpFlags } from './up.ts';
export { DEFAULT_SERVICE_CIDR } from './flag-values.ts';
export { UsageError } from './usage-error.ts';
