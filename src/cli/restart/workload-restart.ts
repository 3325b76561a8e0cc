/** Runs the restart of one workload, from its first pod to its report. */
import { isDeleting, nameOf, type Pod, type PodRestartSpec, uidOf } from '../../api/index.ts';
import { compareResourceVersions } from '../../client/index.ts';
import { errorMessage, formatMicroTime } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import type { ClusterView } from './cluster-view.ts';
import { keptBy } from './disruption-room.ts';
import { LOOK_EVERY_MS, QUIET_MS } from './limits.ts';
import { nextPod, type PlannedPod } from './next-pod.ts';
import type { RestartOptions } from './options.ts';
import { type Outcome, secondsText } from './outcome.ts';
import { availableInMs, isActive } from './pod-facts.ts';
import { podsText, reportLines } from './report.ts';
import { restartPod } from './restart-pod.ts';
import { targetText, type WorkloadTarget } from './targets.ts';
import { whyNotReady } from './waiting-for.ts';
import { desiredOf, maxUnavailableOf, minReadySecondsOf, podsOf, type Workload } from './workload.ts';

/** A pod that existed at the start. */
interface Member {
  readonly uid: string;
  readonly name: string;
  state: 'todo' | 'asked' | 'settling' | 'restarted' | 'skipped' | 'replaced' | 'failed';
  /** Mono ms by which the pod must be available again. */
  deadline: number;
  /** Mono ms when its restart ended. */
  settlingSince: number;
  /** The pod's resource version then; a watch event may be older. */
  version?: string;
}

export interface WorkloadRestartInput {
  readonly session: ClusterSession;
  readonly target: WorkloadTarget;
  readonly options: RestartOptions;
  /** The program's name for hints: "mendlet restart". */
  readonly program: string;
  readonly view: ClusterView;
  /** The cluster's wall clock minus ours, ms. */
  readonly offsetMs: number;
}

export class WorkloadRestart {
  readonly #session: ClusterSession;
  readonly #target: WorkloadTarget;
  readonly #options: RestartOptions;
  readonly #program: string;
  readonly #view: ClusterView;
  readonly #offsetMs: number;
  readonly #spec: PodRestartSpec;
  readonly #begun: number;
  #members: readonly Member[] = [];
  #stoppedBecause: string | undefined;
  /** Mono ms since when no restart is running and the next pod must wait. */
  #heldSince: number | undefined;
  #told = '';
  /** The error that the restart of one pod threw; only a bug can throw there. */
  #crash: { readonly error: unknown } | undefined;

  constructor({ session, target, options, program, view, offsetMs }: WorkloadRestartInput) {
    this.#session = session;
    this.#target = target;
    this.#options = options;
    this.#program = program;
    this.#view = view;
    this.#offsetMs = offsetMs;
    this.#begun = session.clock.now().mono;
    // All requests of this call have the same time: a container that began later needs no restart, even when the call is
    // repeated.
    const { spec } = options;
    this.#spec = {
      reason: `restart of ${targetText(target)}`,
      ...spec,
      notBefore: spec.notBefore ?? formatMicroTime(this.#wall()),
    };
  }

  async run(): Promise<boolean> {
    const workload = this.#view.workload();
    const pods = workload === undefined ? [] : this.#podsOf(workload).filter(hasBegun);
    if (workload === undefined || pods.length === 0) {
      this.#session.out(`${targetText(this.#target)}: no pods to restart\n`);
      return true;
    }
    this.#members = pods.map((pod) => ({
      uid: uidOf(pod),
      name: nameOf(pod),
      state: 'todo',
      deadline: Infinity,
      settlingSince: 0,
    }));
    this.#announce(maxUnavailableOf(workload, this.#options.maxUnavailable));
    const interrupt = (): void => this.#interrupt();
    const { signal } = this.#session;
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
    try {
      while (this.#step()) await this.#view.bell.wait(this.#session.clock, this.#wakeInMs());
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
    if (this.#crash !== undefined) throw this.#crash.error;
    return this.#report();
  }

  /** One step of the loop. @returns false at the end */
  #step(): boolean {
    for (const member of this.#members) this.#look(member);
    if (this.#stoppedBecause === undefined) this.#startWhatMay();
    const isGoing = this.#count('asked') + this.#count('settling') > 0;
    if (isGoing) return true;
    return this.#stoppedBecause === undefined && this.#count('todo') > 0;
  }

  /** Updates the member from its pod, which may be gone, available again or too late. */
  #look(member: Member): void {
    if (member.state !== 'todo' && member.state !== 'asked' && member.state !== 'settling') return;
    const pod = this.#view.pods.get(this.#session.namespace, member.name);
    if (pod === undefined || uidOf(pod) !== member.uid || !isActive(pod)) {
      // The outcome of a requested restart comes from its PodRestart.
      if (member.state !== 'asked') this.#end(member, 'replaced');
      return;
    }
    if (member.state !== 'settling') return;
    const { mono } = this.#session.clock.now();
    if (this.#isBack(member, pod)) {
      this.#end(member, 'restarted');
    } else if (mono >= member.deadline) {
      const timeout = secondsText(this.#options.timeoutMs);
      this.#fail(member, `pod/${member.name} did not come back ready within ${timeout} (${whyNotReady(pod)})`);
    }
  }

  /**
   * Whether the pod is available again. A version older than the restart's end shows the earlier state. A Ready condition that
   * never changed counts from the restart's end.
   */
  #isBack(member: Member, pod: Pod): boolean {
    const { resourceVersion = '' } = pod.metadata ?? {};
    if (member.version !== undefined && compareResourceVersions(resourceVersion, member.version) < 0) return false;
    const minReadySeconds = this.#minReadySeconds();
    const settledMs = this.#session.clock.now().mono - member.settlingSince;
    const waitMs = availableInMs(pod, minReadySeconds, this.#wall());
    return waitMs !== undefined && (waitMs === 0 || settledMs >= minReadySeconds * 1000);
  }

  #startWhatMay(): void {
    for (;;) {
      const workload = this.#view.workload();
      if (workload === undefined) {
        this.#stop(`${targetText(this.#target)} was deleted meanwhile`);
        return;
      }
      const maxUnavailable = maxUnavailableOf(workload, this.#options.maxUnavailable);
      const { start, waitsFor } = nextPod({ pods: this.#plan(workload), desired: desiredOf(workload), maxUnavailable });
      this.#hold(waitsFor);
      const member = this.#members.find(({ uid }) => uid === start);
      if (member === undefined) return;
      this.#ask(member);
    }
  }

  #plan(workload: Workload): readonly PlannedPod[] {
    const going = new Set(
      this.#members.filter(({ state }) => state === 'asked' || state === 'settling').map(({ uid }) => uid),
    );
    const all = this.#view.pods.list(this.#session.namespace);
    const budgets = this.#view.budgets.list(this.#session.namespace);
    return this.#podsOf(workload).map((pod) => {
      const state = PLANNED[this.#members.find(({ uid }) => uid === uidOf(pod))?.state ?? 'skipped'];
      const kept = state === 'todo' ? keptBy({ pod, budgets, pods: all, going }) : undefined;
      return {
        uid: uidOf(pod),
        name: nameOf(pod),
        state,
        available: availableInMs(pod, this.#minReadySeconds(), this.#wall()) === 0,
        ...(kept === undefined ? {} : { keptBy: kept }),
      };
    });
  }

  #podsOf(workload: Workload): readonly Pod[] {
    const { namespace } = this.#session;
    const replicaSets = this.#view.replicaSets?.list(namespace) ?? [];
    return podsOf(workload, this.#view.pods.list(namespace), replicaSets).filter(isActive);
  }

  #ask(member: Member): void {
    const { clock } = this.#session;
    const { timeoutMs } = this.#options;
    member.state = 'asked';
    member.deadline = clock.now().mono + timeoutMs;
    const work = restartPod(this.#session, member.name, {
      spec: { ...this.#spec, podUID: member.uid },
      wait: true,
      timeoutMs,
      // Ctrl-C begins no further pod, and waits for the restarts that are running.
      signal: new AbortController().signal,
      note: (line) => this.#session.err(`${line}\n`),
    });
    work
      .then((outcome) => this.#settle(member, outcome))
      .catch((error: unknown) => {
        this.#crash ??= { error };
        this.#fail(member, `pod/${member.name}: ${errorMessage(error)}`);
      })
      .finally(() => this.#view.bell.ring());
  }

  #settle(member: Member, { kind, text, version }: Outcome): void {
    const pod = this.#view.pods.get(this.#session.namespace, member.name);
    const isThere = pod !== undefined && uidOf(pod) === member.uid && isActive(pod);
    if (kind === 'failed' && !isThere) {
      this.#end(member, 'replaced');
      return;
    }
    if (kind === 'failed' || kind === 'interrupted') {
      this.#fail(member, text);
      return;
    }
    this.#session.out(`${text}\n`);
    if (kind === 'skipped') {
      this.#end(member, 'skipped');
      return;
    }
    member.state = 'settling';
    member.settlingSince = this.#session.clock.now().mono;
    if (version !== undefined) member.version = version;
  }

  #end(member: Member, state: 'restarted' | 'skipped' | 'replaced'): void {
    member.state = state;
    if (state === 'replaced')
      this.#session.out(`pod/${member.name} was deleted or replaced meanwhile; its replacement is new\n`);
  }

  #fail(member: Member, text: string): void {
    member.state = 'failed';
    if (this.#options.keepGoing) this.#session.err(`${text}\n`);
    else this.#stop(text);
  }

  #stop(because: string): void {
    this.#stoppedBecause ??= because;
  }

  #interrupt(): void {
    this.#stop('interrupted');
    const going = this.#members.filter(({ state }) => state === 'asked' || state === 'settling');
    const rest = this.#count('todo');
    const waits =
      going.length === 0
        ? ''
        : `; waits for ${going.map(({ name }) => `pod/${name}`).join(', ')} (again Ctrl-C: no longer)`;
    this.#session.err(`no more pods are begun, ${podsText(rest)} left${waits}\ngo on with: ${this.#goOn()}\n`);
    this.#view.bell.ring();
  }

  /** Reports what the next pod waits for; a wait that takes too long is a failure, because no running restart could end it. */
  #hold(waitsFor: string | undefined): void {
    const isGoing = this.#count('asked') + this.#count('settling') > 0;
    if (waitsFor === undefined || isGoing) {
      this.#heldSince = undefined;
      return;
    }
    const { mono } = this.#session.clock.now();
    this.#heldSince ??= mono;
    if (mono - this.#heldSince >= this.#options.timeoutMs) {
      this.#stop(`for ${secondsText(this.#options.timeoutMs)} nothing might be restarted: ${waitsFor}`);
    } else if (mono - this.#heldSince >= QUIET_MS && waitsFor !== this.#told) {
      this.#told = waitsFor;
      this.#session.err(`waits: ${waitsFor}\n`);
    }
  }

  #announce(maxUnavailable: number): void {
    const count = podsText(this.#members.length);
    const text = `${targetText(this.#target)}: ${count} to restart in place, at most ${maxUnavailable} away at once`;
    this.#session.out(`${text}\n`);
  }

  #report(): boolean {
    const names = (...states: readonly Member['state'][]): readonly string[] =>
      this.#members.filter(({ state }) => states.includes(state)).map(({ name }) => name);
    const failed = names('failed');
    const lines = reportLines({
      target: targetText(this.#target),
      pods: {
        restarted: names('restarted'),
        skipped: names('skipped'),
        replaced: names('replaced'),
        failed,
        going: names('asked', 'settling'),
        notBegun: names('todo'),
      },
      ...(this.#stoppedBecause === undefined ? {} : { stoppedBecause: this.#stoppedBecause }),
      goOn: this.#goOn(),
      tookMs: this.#session.clock.now().mono - this.#begun,
    });
    const isGood = this.#stoppedBecause === undefined && failed.length === 0;
    for (const line of lines) (isGood ? this.#session.out : this.#session.err)(`${line}\n`);
    return isGood;
  }

  #goOn(): string {
    const parts = [
      this.#program,
      targetText(this.#target),
      this.#options.flagsText,
      `--not-before ${this.#spec.notBefore}`,
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  #wakeInMs(): number {
    const { mono } = this.#session.clock.now();
    const times = this.#members
      .filter(({ state }) => state === 'settling')
      .map((member) => {
        const pod = this.#view.pods.get(this.#session.namespace, member.name);
        const readyInMs = pod === undefined ? undefined : availableInMs(pod, this.#minReadySeconds(), this.#wall());
        return Math.min(member.deadline - mono, readyInMs ?? Infinity);
      });
    return Math.max(10, Math.min(LOOK_EVERY_MS, ...times));
  }

  #minReadySeconds(): number {
    const workload = this.#view.workload();
    return workload === undefined ? 0 : minReadySecondsOf(workload);
  }

  /** The cluster's wall clock. */
  #wall(): number {
    return this.#session.clock.now().wall + this.#offsetMs;
  }

  #count(state: Member['state']): number {
    return this.#members.filter((member) => member.state === state).length;
  }
}

const PLANNED: Readonly<Record<Member['state'], PlannedPod['state']>> = {
  todo: 'todo',
  asked: 'going',
  settling: 'going',
  restarted: 'done',
  skipped: 'done',
  replaced: 'done',
  failed: 'given-up',
};

/** Whether the pod has a node and is not being deleted; other pods have nothing to restart. */
function hasBegun(pod: Pod): boolean {
  return pod.spec?.nodeName !== undefined && pod.spec.nodeName !== '' && !isDeleting(pod);
}
