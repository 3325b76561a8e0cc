/** A mistake of ours in one pod's pass is that pod's event: its worker tries again, more and more slowly, and the others go on. */
import { expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { createMetrics, silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { observation, PRESENT, testContainer, testPod } from '../plan/plan.fixtures.ts';
import { createPodQueue, PodWorkers, type PodWorkersOptions } from './pod-workers.ts';

const SICK = 'sick';
const WELL = 'well';

/** A node whose parts do what they must, but for `broken`, which throws for the sick pod. */
function node(broken: string) {
  const clock = createManualClock();
  const queue = createPodQueue(clock);
  const told: string[] = [];
  const passes: number[] = [];
  const pods = new Map([SICK, WELL].map((uid) => [uid, testPod({}, { uid, name: uid })]));
  const breaks = (part: string, uid: string | undefined): void => {
    if (part !== broken || uid !== SICK) return;
    passes.push(clock.now().mono);
    throw new TypeError('this is not a function');
  };
  const uidOf = (pod: Pod) => pod.metadata?.uid;
  const options = {
    ports: { clock, logger: silentLogger, metrics: createMetrics() },
    sources: {
      queue,
      desired: {
        get: (uid: string) => {
          const pod = pods.get(uid);
          return pod === undefined ? undefined : { pod, wanted: true };
        },
        synced: () => true,
      },
      pleg: {
        synced: () => true,
        known: () => true,
        uids: () => [],
        observation: (uid: string) => {
          breaks('observation', uid);
          return { ...observation(broken === 'plan' && uid === SICK ? [] : [testContainer()]), uid };
        },
        inspect: async () => undefined,
      },
    },
    parts: {
      notes: {
        load: async (uid: string) => breaks('notes.load', uid),
        save: async (uid: string) => breaks('notes.save', uid),
        settled: async () => {},
      },
      executor: {
        takeOutcomes: () => [],
        jobs: () => ({}),
        execute: (pod: Pod) => breaks('execute', uidOf(pod)),
      },
      volumes: {
        // Asked for within the plan's facts.
        fact: (uid: string) => {
          breaks('volumes', uid);
          return { state: 'ready', paths: {} };
        },
        onDisk: async () => [],
        prepare: () => {},
      },
      images: {
        // Asked by the plan itself, for a container that is to be started.
        fact: (uid: string) => {
          breaks('plan', uid);
          return PRESENT;
        },
      },
      probes: {
        results: (uid: string) => {
          breaks('probe results', uid);
          return {};
        },
        sync: (pod: Pod) => breaks('probes', uidOf(pod)),
      },
    },
    reporters: {
      status: {
        report: (pod: Pod) => {
          breaks('status', uidOf(pod));
          if (uidOf(pod) === WELL) told.push('well is reported');
        },
      },
      events: {
        pod: (pod: Pod, type: string, reason: string, message: string) => {
          if (uidOf(pod) === SICK && reason === 'FailedSync') told.push(`${type} ${message}`);
        },
        node: () => {},
      },
    },
    node: {
      admit: () => ({ admitted: true }),
      facts: () => ({ name: 'n', hostIps: [], runtimeName: 'containerd' }),
    },
  } as unknown as PodWorkersOptions;
  return { clock, queue, told, passes, workers: new PodWorkers(options) };
}

it.each(['plan', 'observation', 'probe results', 'notes.load', 'notes.save', 'execute', 'volumes', 'probes', 'status'])(
  'a panic in %s',
  async (part) => {
    const { clock, queue, told, passes, workers } = node(part);
    const end = new AbortController();
    const running = workers.run(end.signal);
    queue.add(SICK);
    queue.add(WELL);
    await settle();
    expect(told).toContain('Warning error syncing pod, skipping: this is not a function');
    expect(told).toContain('well is reported');
    for (let i = 0; i < 120; i += 1) {
      await clock.advance(250);
      await settle();
    }
    // At first at once, then each 10 s at most: it never loops hot, and never gives up.
    expect(passes.length).toBeGreaterThan(6);
    expect(passes.length).toBeLessThan(20);
    told.length = 0;
    queue.add(WELL);
    await settle();
    expect(told).toEqual(['well is reported']);
    end.abort();
    await running;
  },
);
