/** Wires the black box together: the node's memory of its pods' deaths. */
import type { Pod } from '../../api/index.ts';
import type { Clock, FileSystem, Logger, MetricsRegistry } from '../../lib/index.ts';
import type { ConfigSource } from '../env/config-source.ts';
import type { Cgroups, KernelLog, Listeners, Meter } from '../ports.ts';
import type { PodDirectory, PodEvents, PodUID, PressureVerdict } from '../types.ts';
import { CpuWatch } from './cpu-watch.ts';
import { createDeathHistory, type DeathHistory } from './death-history.ts';
import { DeathRecorder } from './death-recorder.ts';
import { DeathStore } from './death-store.ts';
import { FailedProbes } from './failed-probes.ts';
import { livingOf } from './living-containers.ts';
import { OomReasons } from './oom-reasons.ts';
import { OomWatch } from './oom-watch.ts';
import { RecentChanges } from './recent-changes.ts';
import { RefusedProbes } from './refused-probes.ts';
import { refusingContainers } from './refusing-containers.ts';
import { secretValuesOf } from './secret-values.ts';

export interface BlackBoxPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly fs: FileSystem;
  readonly cgroups: Pick<Cgroups, 'memoryEvents' | 'processes' | 'cpuPeriods'>;
  readonly kernelLog?: KernelLog;
  readonly listeners?: Listeners;
  readonly machine: Pick<Meter, 'usage'>;
}

export interface BlackBoxConfig {
  readonly nodeName: string;
  /** `DIR/agent`. */
  readonly rootDir: string;
  readonly podLogsDir: string;
  readonly deathHistoryRetentionMs: number;
}

export interface BlackBoxParts {
  readonly events: PodEvents;
  readonly directory: () => PodDirectory;
  readonly secrets: () => Pick<ConfigSource, 'secret'>;
  /** `undefined`: it is not known yet which pods there are. */
  readonly isKnown: () => ((uid: PodUID) => boolean) | undefined;
}

export interface BlackBox {
  readonly recorder: DeathRecorder;
  readonly changes: RecentChanges;
  readonly refusedProbes: RefusedProbes;
  readonly oom: OomWatch;
  readonly oomReasons: OomReasons;
  readonly cpu: CpuWatch;
  readonly history: DeathHistory;
  /** The node's pressure as it is now. */
  pressure(verdict: PressureVerdict): void;
  run(signal: AbortSignal): Promise<void>;
}

export function createBlackBox(ports: BlackBoxPorts, config: BlackBoxConfig, parts: BlackBoxParts): BlackBox {
  const { clock, logger, metrics } = ports;
  const { nodeName, rootDir, podLogsDir } = config;
  const { events, directory, isKnown } = parts;
  const changes = new RecentChanges(clock);
  const failedProbes = new FailedProbes(clock);
  const refusedProbes = new RefusedProbes({ ...ports, failedProbes });
  const living = () => directory().pods().flatMap(livingOf);
  const cpu = new CpuWatch({ ...ports, living });
  const oom: OomWatch = new OomWatch({
    ...ports,
    living,
    told: async ({ pod, name, id }) => {
      const book = await store.read(pod.metadata?.uid ?? '').catch(() => undefined);
      const deaths = book?.containers.find((each) => each.name === name)?.deaths ?? [];
      return deaths.findLast((each) => each.survived === true && each.containerId === id)?.oom?.kills ?? 0;
    },
    onSurvived: (survival) => recorder.survived(survival),
  });
  const lost = metrics.counter({
    name: 'mendlet_death_edits_lost_total',
    help: 'Changes to the records of deaths that the disk did not take in time.',
  });
  const store = new DeathStore({
    ...ports,
    rootDir,
    retentionMs: config.deathHistoryRetentionMs,
    isKnown,
    onLost: (count) => lost.inc({}, count),
  });
  const secrets = (pod: Pod) => secretValuesOf({ clock, logger, secrets: parts.secrets() }, pod);
  const startedAt = clock.now().wall;
  const oomReasons = new OomReasons({ evidence: (id) => oom.evidence(id), book: (uid) => store.read(uid), startedAt });
  const recorder: DeathRecorder = new DeathRecorder(
    ports,
    { podLogsDir, changes, failedProbes, oom, cpu, secrets, isOurReason: (id) => oomReasons.isOurs(id) },
    { store, events },
  );
  let pressed: PressureVerdict | undefined;
  return {
    recorder,
    changes,
    refusedProbes,
    oom,
    oomReasons,
    cpu,
    history: createDeathHistory({
      nodeName,
      store,
      recorder,
      refusing: () => refusingContainers(directory().pods(), (id) => failedProbes.refused(id)),
    }),
    pressure: (verdict) => {
      for (const what of pressureTexts(pressed, verdict)) changes.node(what);
      pressed = verdict;
    },
    run: async (signal) => {
      changes.node('the node agent was restarted', { at: startedAt, toRunning: true });
      const boot = async (): Promise<void> => {
        try {
          changes.node('the node booted', { at: (await ports.machine.usage()).bootedAt });
        } catch (error) {
          logger.debug('the time of the boot cannot be read', { error });
        }
      };
      await Promise.all([boot(), store.run(signal), recorder.run(signal), oom.run(signal), cpu.run(signal)]);
      await store.settled();
    },
  };
}

const PRESSURES = { memory: 'memory', disk: 'disk', pid: 'process' } as const;

function pressureTexts(before: PressureVerdict | undefined, now: PressureVerdict): readonly string[] {
  return (['memory', 'disk', 'pid'] as const).flatMap((kind) => {
    if (now[kind] === (before?.[kind] ?? false)) return [];
    return [`${PRESSURES[kind]} pressure on the node ${now[kind] ? 'began' : 'ended'}`];
  });
}
