/**
 * Plans the requested restarts of one pod: the request to its agent now, and the status of each PodRestart. Pure.
 *
 *   Pending (its turn or its time is to come) ─► Running (its node has been asked) ─► Succeeded | Failed (the node's answer)
 *        └── superseded by a newer one of the same reach or more                └── or the pod is gone, or has ended
 *
 * One at a time: due requests come before those that wait for their time, and older ones before newer ones. A restart that has
 * begun is replaced by a newer request that goes further: past a back-off, or a grace period.
 */
import {
  formatRestartRequest,
  isBackOffReason,
  isDeleting,
  nameOf,
  type Node,
  parseHealingState,
  type Pod,
  type PodRestart,
  type PodRestartSpec,
  type PodRestartStatus,
  readRestartRequest,
  HEALING_STATE,
  RESTART_REQUEST,
  type RestartOutcome,
  type RestartScope,
  uidOf,
} from '../../api/index.ts';
import { formatMicroTime, parseTime } from '../../lib/index.ts';
import { DEFAULT_RESTART_TTL_S } from './limits.ts';
import { goneRefusal, type Refusal, startRefusal, waitingText } from './refuse-restart.ts';

export interface RestartsView {
  /** All that name the pod. */
  readonly restarts: readonly PodRestart[];
  /** Undefined: the server has none of this name. */
  readonly pod: Pod | undefined;
  /** The pod's, if it is known. */
  readonly node: Node | undefined;
  /** ID of the request that was put on the pod last, by us: its restart may have been deleted since. */
  readonly askedLast?: string | undefined;
  /** The API server keeps upstream's rules on containers that have ended. */
  readonly foreignServer: boolean;
  /** Wall ms. */
  readonly now: number;
}

export interface RestartsPlan {
  /** The pod's `mendlet.dev/restart-request` from now on; null: none; undefined: as it is. */
  readonly request?: string | null;
  /** The PodRestart of that request. */
  readonly id?: string;
  /** The PodRestart that is requested for the first time. */
  readonly asked?: PodRestart;
  readonly statuses: readonly { readonly restart: PodRestart; readonly status: PodRestartStatus }[];
  /** Finished for long enough. */
  readonly expired: readonly PodRestart[];
  /** Time alone may change the plan then. */
  readonly wakeAfterMs?: number;
}

const FORCE_HELPS = 'a restart with force (mendlet restart --force) goes past it';

const REACH: readonly RestartScope[] = ['container', 'containers', 'pod'];

export function planPodRestarts(view: RestartsView): RestartsPlan {
  const live = view.restarts.filter((restart) => !isDeleting(restart));
  const open = live.filter((restart) => !isFinished(restart)).toSorted(byAge);
  const judged = open.map((restart) => judge(restart, view));
  const waiting = judged.filter(({ end }) => end === undefined);
  const superseded = judged.map((each) => supersede(each, waiting, view));
  const queue = superseded.filter(({ end }) => end === undefined);
  const byHand = goingByHand(view);
  const current = currentOf(queue, view, byHand);
  const statuses = superseded.flatMap((each) => {
    const status = statusOf(each, current, view, byHand);
    return [{ restart: each.restart, status }];
  });
  const expiries = live.filter(isFinished).map((restart) => ({ restart, leftMs: remainingTtlMs(restart, view.now) }));
  const wakes = [
    ...expiries.flatMap(({ leftMs }) => (leftMs > 0 ? [leftMs] : [])),
    ...queue.map(({ restart }) => dueInMs(restart, view.now)).filter((ms) => ms > 0),
  ];
  return {
    ...requestFor(current, view, byHand),
    statuses,
    expired: expiries.filter(({ leftMs }) => leftMs === 0).map(({ restart }) => restart),
    ...(wakes.length === 0 ? {} : { wakeAfterMs: Math.min(...wakes) }),
  };
}

interface Judged {
  readonly restart: PodRestart;
  /** The agent's last word on it. */
  readonly outcome: RestartOutcome | undefined;
  /** Its request is on the pod. */
  readonly asked: boolean;
  readonly end?: Refusal & { readonly phase: 'Succeeded' | 'Failed'; readonly at?: string };
}

function judge(restart: PodRestart, { pod, node, foreignServer }: RestartsView): Judged {
  const outcome = outcomesOf(pod).find(({ id }) => id === uidOf(restart));
  const judged: Judged = { restart, outcome, asked: requestIdOf(pod) === uidOf(restart) };
  if (outcome?.phase === 'Succeeded' || outcome?.phase === 'Failed') {
    const reason = outcome.reason ?? (outcome.phase === 'Succeeded' ? 'Restarted' : 'Failed');
    return { ...judged, end: { phase: outcome.phase, reason, message: outcome.message ?? '', at: outcome.at } };
  }
  const refusal =
    goneRefusal(restart, pod) ??
    (pod === undefined || outcome !== undefined ? undefined : startRefusal(restart, pod, node, foreignServer));
  return refusal === undefined ? judged : { ...judged, end: { phase: 'Failed', ...refusal } };
}

function supersede(each: Judged, waiting: readonly Judged[], { now }: RestartsView): Judged {
  if (each.end !== undefined || each.asked || each.outcome !== undefined) return each;
  const position = waiting.findIndex(({ restart }) => restart === each.restart);
  const newer = waiting.slice(position + 1).find((other) => reachesAsFar(other.restart, each.restart, now));
  if (newer === undefined) return each;
  const message = `PodRestart ${nameOf(newer.restart)}, which is newer, restarts as much or more`;
  return { ...each, end: { phase: 'Failed', reason: 'Superseded', message } };
}

/** Whether `newer`, which is due, makes `older` unnecessary. */
function reachesAsFar({ spec: newer = {} }: PodRestart, { spec: older = {} }: PodRestart, now: number): boolean {
  // A start now is older than a time in the future.
  if ([newer, older].some(({ notBefore }) => (parseTime(notBefore) ?? 0) > now)) return false;
  if (reachOf(newer) < reachOf(older)) return false;
  if (newer.scope === 'container' && newer.container !== older.container) return false;
  const emptied = newer.emptyDirs ?? [];
  const empties = emptied.includes('*') || (older.emptyDirs ?? []).every((name) => emptied.includes(name));
  return empties && (newer.force === true || older.force !== true);
}

function reachOf({ scope = 'pod' }: PodRestartSpec): number {
  return REACH.indexOf(scope);
}

/**
 * Chooses the request: the one that the agent has begun, or one that replaces it; else the oldest due one; else the one that
 * is due first.
 */
function currentOf(
  queue: readonly Judged[],
  { pod, now }: RestartsView,
  byHand: RestartOutcome | undefined,
): Judged | undefined {
  const begun = queue.find(hasBegun);
  if (begun !== undefined) {
    const newer = queue
      .slice(queue.indexOf(begun) + 1)
      .filter((each) => takesOver(each.restart, begun.restart, pod, now));
    return newer.find(({ asked }) => asked) ?? newer[0] ?? begun;
  }
  const due = queue.filter(({ restart }) => dueInMs(restart, now) === 0);
  const forced = byHand === undefined ? undefined : due.find(({ restart }) => restart.spec?.force === true);
  if (forced !== undefined) return forced;
  const next = queue.toSorted((a, b) => dueInMs(a.restart, now) - dueInMs(b.restart, now));
  return due.find(({ asked }) => asked) ?? due[0] ?? next[0];
}

/** A restart that is under way and is not ours: somebody annotated the pod, or its PodRestart is gone. */
function goingByHand({ pod, restarts, askedLast }: RestartsView): RestartOutcome | undefined {
  const known = new Set([...restarts.map(uidOf), askedLast]);
  return outcomesOf(pod).find(({ id, phase }) => phase === 'Running' && !known.has(id));
}

function hasBegun({ outcome }: Judged): boolean {
  return outcome?.phase === 'Running';
}

/** Whether `newer` need not wait for `begun`, which may be held up by something that `newer` skips. */
function takesOver(newer: PodRestart, begun: PodRestart, pod: Pod | undefined, now: number): boolean {
  const [wanted, going] = [newer.spec ?? {}, begun.spec ?? {}];
  // The agent delays restarts of a part until all containers of the present one have ended, and no longer.
  if (reachOf(wanted) < reachOf(going)) return wanted.force === true && dueInMs(newer, now) === 0;
  // The other container starts again in any case, when it can.
  if (isOfAnother(wanted, going))
    return (wanted.force === true || heldUpBy(going, pod) !== undefined) && dueInMs(newer, now) === 0;
  if (!reachesAsFar(newer, begun, now)) return false;
  // However much force the other has: the present obstacle may have appeared after that.
  if (reachOf(wanted) > reachOf(going) || wanted.force === true) return true;
  const patience = going.gracePeriodSeconds ?? pod?.spec?.terminationGracePeriodSeconds ?? Number.POSITIVE_INFINITY;
  return (wanted.gracePeriodSeconds ?? patience) < patience;
}

function isOfAnother(wanted: PodRestartSpec, going: PodRestartSpec): boolean {
  return wanted.scope === 'container' && going.scope === 'container' && wanted.container !== going.container;
}

/** "container web (ImagePullBackOff)": the containers that cannot start for now; undefined: none, as far as the pod shows. */
function heldUpBy({ scope, container }: PodRestartSpec, pod: Pod | undefined): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod?.status ?? {};
  const found = [...initContainerStatuses, ...containerStatuses].find(
    ({ name, state }) => (scope !== 'container' || name === container) && isBackOffReason(state?.waiting?.reason),
  );
  return found === undefined ? undefined : `container ${found.name} (${found.state?.waiting?.reason ?? ''})`;
}

function requestFor(
  current: Judged | undefined,
  { pod, restarts, askedLast }: RestartsView,
  byHand: RestartOutcome | undefined,
): Pick<RestartsPlan, 'request' | 'id' | 'asked'> {
  if (pod === undefined) return {};
  const known = new Set([...restarts.map(uidOf), askedLast]);
  const id = requestIdOf(pod);
  // A restart that is under way and was requested by hand ends first.
  if (byHand !== undefined && current?.restart.spec?.force !== true) return {};
  if (current === undefined) return id !== undefined && known.has(id) ? { request: null } : {};
  if (current.asked || current.outcome?.phase === 'Running') return {};
  const isNew = current.restart.status?.phase !== 'Running';
  return {
    request: requestOf(current.restart),
    id: uidOf(current.restart),
    ...(isNew ? { asked: current.restart } : {}),
  };
}

function requestOf(restart: PodRestart): string {
  const {
    scope = 'pod',
    container,
    notBefore,
    reason,
    requestedBy,
    gracePeriodSeconds,
    force,
    emptyDirs,
  } = restart.spec ?? {};
  const requestedAt = restart.metadata?.creationTimestamp;
  return formatRestartRequest({
    id: uidOf(restart),
    scope,
    ...(container === undefined ? {} : { container }),
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(reason === undefined ? {} : { reason }),
    ...(requestedBy === undefined ? {} : { by: requestedBy }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(force === undefined ? {} : { force }),
    ...(emptyDirs === undefined ? {} : { emptyDirs }),
    ...(requestedAt === undefined ? {} : { requestedAt }),
  });
}

function statusOf(
  each: Judged,
  current: Judged | undefined,
  { pod, node, now }: RestartsView,
  byHand: RestartOutcome | undefined,
): PodRestartStatus {
  const { restart, end, outcome } = each;
  const before = restart.status ?? {};
  const podUID = before.podUID ?? (pod === undefined ? undefined : uidOf(pod));
  const nodeName = before.nodeName ?? pod?.spec?.nodeName;
  const startTime = before.startTime ?? (outcome?.phase === 'Running' ? outcome.at : undefined);
  const told = {
    observedGeneration: restart.metadata?.generation ?? 0,
    ...(podUID === undefined || end?.reason === 'PodReplaced' ? {} : { podUID }),
    ...(nodeName === undefined || nodeName === '' ? {} : { nodeName }),
    ...(startTime === undefined ? {} : { startTime }),
  };
  if (end !== undefined) {
    const { phase, reason, message, at } = end;
    return { ...told, phase, reason, message, completionTime: at ?? formatMicroTime(now) };
  }
  const waits = byHand === undefined ? undefined : waitForHand(each, current, byHand, now);
  return { ...told, ...(waits ?? progressOf(each, current, pod ?? {}, node, now)) };
}

function waitForHand(
  { restart, asked, outcome }: Judged,
  current: Judged | undefined,
  { id }: RestartOutcome,
  now: number,
): Pick<PodRestartStatus, 'phase' | 'reason' | 'message'> | undefined {
  const isNext = current?.restart === restart && !asked && outcome === undefined && dueInMs(restart, now) === 0;
  if (!isNext || restart.spec?.force === true) return undefined;
  const message = `waits for restart ${id}, which was asked for by annotation, to end; ${FORCE_HELPS}`;
  return { phase: restart.status?.phase ?? 'Pending', reason: 'OneAtATime', message };
}

function progressOf(
  { restart, outcome }: Judged,
  current: Judged | undefined,
  pod: Pod,
  node: Node | undefined,
  now: number,
): Pick<PodRestartStatus, 'phase' | 'reason' | 'message'> {
  if (dueInMs(restart, now) > 0) {
    return { phase: 'Pending', reason: 'NotBefore', message: `waits until ${restart.spec?.notBefore ?? ''}` };
  }
  if (current?.restart !== restart && outcome?.phase !== 'Running') {
    return { phase: 'Pending', reason: 'OneAtATime', message: turnText(restart, current, pod, now) };
  }
  const begun = outcome?.phase === 'Running';
  const { reason = begun ? 'Restarting' : 'Requested', message = waitingText(pod, node, begun) } = outcome ?? {};
  return { phase: 'Running', reason, message };
}

/** The restart that it waits for, the obstacle of that, and the way to skip it. */
function turnText(restart: PodRestart, current: Judged | undefined, pod: Pod, now: number): string {
  const text = `waits for PodRestart ${nameOf(current?.restart ?? {})} to end`;
  if (current === undefined || !hasBegun(current)) return text;
  const heldUp = heldUpBy(current.restart.spec ?? {}, pod);
  const which = heldUp === undefined ? '' : `, which waits for ${heldUp}`;
  const forced = { ...restart, spec: { ...restart.spec, force: true } };
  const helps = restart.spec?.force !== true && takesOver(forced, current.restart, pod, now);
  return `${text}${which}${helps ? `; ${FORCE_HELPS}` : ''}`;
}

function byAge(a: PodRestart, b: PodRestart): number {
  return (parseTime(a.metadata?.creationTimestamp) ?? 0) - (parseTime(b.metadata?.creationTimestamp) ?? 0);
}

export function isFinished({ status }: PodRestart): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function dueInMs({ spec }: PodRestart, now: number): number {
  return Math.max(0, (parseTime(spec?.notBefore) ?? 0) - now);
}

/** One that finished in the future finished just now. */
function remainingTtlMs({ spec, status }: PodRestart, now: number): number {
  const finished = Math.min(parseTime(status?.completionTime) ?? now, now);
  return Math.max(0, finished + (spec?.ttlSecondsAfterFinished ?? DEFAULT_RESTART_TTL_S) * 1000 - now);
}

function outcomesOf(pod: Pod | undefined): readonly RestartOutcome[] {
  return parseHealingState(pod?.metadata?.annotations?.[HEALING_STATE])?.restarts ?? [];
}

/** From the request that is on the pod, if it can be read. */
function requestIdOf(pod: Pod | undefined): string | undefined {
  const text = pod?.metadata?.annotations?.[RESTART_REQUEST];
  const reading = text === undefined ? undefined : readRestartRequest(text);
  return reading?.ok === true ? reading.request.id : undefined;
}
