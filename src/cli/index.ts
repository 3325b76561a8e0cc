/**
 * cli: the command line, one file per verb: definitions, help and printers. Verbs that start processes are implemented in
 * `main`.
 */
export { actOn } from './acts/act-on.ts';
export {
  type Act,
  type ActContext,
  type ActKind,
  actKind,
  type ActResult,
  ACTS,
  type ActTarget,
  actTargetText,
  type Right,
  rightsFor,
} from './acts/acts.ts';
export type { AgentFlags } from './agent.ts';
export { callOf } from './called-as.ts';
export type { ClusterFlags, DashboardListen } from './cluster-flags.ts';
export type { DashboardFlags } from './dashboard.ts';
export type { ClusterChoice, ClusterSession, ClusterVerb, WithCluster } from './cluster-session.ts';
export type { DownFlags } from './down.ts';
export { type ExitCode, exitCodes } from './exit-codes.ts';
export { type Cidr, type ListenAddress, parsePodCidr, type RuntimeChoice } from './flag-values.ts';
export type { HealerOptions } from './healer.ts';
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
export { cpuText, exitText, oomText, requestText, whyText } from './history/death-text.ts';
export { fetchHistory } from './history/fetch-history.ts';
export { gatherGroup } from './history/gather-group.ts';
export { historyTarget } from './history/history-target.ts';
export { Bell } from './restart/bell.ts';
export { clusterTime } from './restart/cluster-time.ts';
export { restartOptions } from './restart/options.ts';
export { runRestart } from './restart/run-restart.ts';
export { type ClusterFeed, type Failure, watchOverview } from './watch/cluster-feed.ts';
export { Asker } from './why/ask.ts';
export { whyOf } from './why/run-why.ts';
export { parseWhyTarget } from './why/target.ts';
