/** Whatever happens to its pods, a StatefulSet never has an identity twice, and comes to rest when nothing happens any more. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ControllerRevision, nameOf, type Pod, type StatefulSet } from '../../api/index.ts';
import { revisionData } from '../history/revision.ts';
import { memberOf } from './identity.ts';
import { planStatefulSet, type StatefulSetPlan } from './plan-stateful-set.ts';

const START = Date.UTC(2026, 0, 1);
const MIN_READY_SECONDS = 2;

function revision(number: number): ControllerRevision {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: String(number) }] },
  };
  return { metadata: { name: `web-r${number}` }, revision: number, data: revisionData(template) };
}

type Happening =
  | {
      readonly what: 'time' | 'ready' | 'unready' | 'fail' | 'succeed' | 'delete' | 'confirm';
      readonly pick: number;
    }
  | { readonly what: 'scale' | 'start' | 'update' | 'partition'; readonly to: number };

const pods = fc.constantFrom(
  'time',
  'ready',
  'ready',
  'unready',
  'fail',
  'succeed',
  'delete',
  'confirm',
  'confirm' as const,
);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: pods, pick: fc.nat(7) }) as fc.Arbitrary<Happening> },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constantFrom('scale', 'start', 'update', 'partition' as const),
      to: fc.nat(4),
    }) as fc.Arbitrary<Happening>,
  },
);

/** A cluster of nothing but one set and its pods. */
function must(held: boolean, otherwise: string): void {
  if (!held) throw new Error(otherwise);
}

class World {
  readonly pods = new Map<string, Pod>();
  readonly created: string[] = [];
  set: StatefulSet;
  revision = 1;
  now = START;
  #uid = 0;

  constructor(parallel: boolean, maxUnavailable: number | undefined) {
    this.set = {
      metadata: { namespace: 'n', name: 'web', uid: 'set' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: {},
        podManagementPolicy: parallel ? 'Parallel' : 'OrderedReady',
        minReadySeconds: MIN_READY_SECONDS,
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: { partition: 0, ...(maxUnavailable === undefined ? {} : { maxUnavailable }) },
        },
      },
    };
  }

  get wanted(): { readonly start: number; readonly count: number } {
    return { start: this.set.spec?.ordinals?.start ?? 0, count: this.set.spec?.replicas ?? 0 };
  }

  ordered(): readonly Pod[] {
    return [...this.pods.values()].toSorted((a, b) => ordinalOf(a) - ordinalOf(b));
  }

  plan(): StatefulSetPlan {
    const current = memberRevision(this.set.status?.currentRevision) ?? this.revision;
    return planStatefulSet({
      set: this.set,
      revisions: { current: revision(current), update: revision(this.revision), collisionCount: 0 },
      pods: [...this.pods.values()],
      foreignPod: () => undefined,
      failureWaitMs: () => 0,
      claim: () => undefined,
      now: this.now,
    });
  }

  /** Does what the plan says, as the server would, and checks that it may. */
  step(): StatefulSetPlan {
    const plan = this.plan();
    const { start, count } = this.wanted;
    const parallel = this.set.spec?.podManagementPolicy === 'Parallel';
    const touched = new Set<string>();
    for (const step of plan.steps) {
      if (step.kind !== 'create' && step.kind !== 'delete') continue;
      const name = nameOf(step.pod);
      must(!touched.has(name), `${name} twice in one plan`);
      touched.add(name);
      if (step.kind === 'create') {
        must(!this.pods.has(name), `${name} was made while there is one`);
        const ordinal = ordinalOf(step.pod);
        must(ordinal >= start && ordinal < start + count, `${name} is not wanted`);
        if (!parallel) this.#expectAllBelow(ordinal);
        this.#uid += 1;
        const metadata = { ...step.pod.metadata, uid: `u${this.#uid}` };
        this.pods.set(name, { ...step.pod, metadata, status: { phase: 'Pending' } });
        this.created.push(name);
      } else {
        const pod = this.pods.get(name);
        must(pod !== undefined, `${name} was deleted though it is gone`);
        this.remove(name);
      }
    }
    const ordered = plan.steps.filter(({ kind }) => kind === 'create' || kind === 'delete').length;
    if (!parallel && this.set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined)
      must(ordered <= 1, 'more than one step in order');
    this.set = { ...this.set, status: plan.status };
    return plan;
  }

  #expectAllBelow(ordinal: number): void {
    for (let below = this.wanted.start; below < ordinal; below += 1) {
      const pod = this.pods.get(`web-${below}`);
      const ready = pod?.status?.conditions?.[0]?.status === 'True' && pod.metadata?.deletionTimestamp === undefined;
      must(ready, `web-${ordinal} was made before web-${below} was ready`);
    }
  }

  remove(name: string): void {
    const pod = this.pods.get(name);
    if (pod === undefined) return;
    const ended = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
    if (ended) this.pods.delete(name);
    else this.pods.set(name, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: time(this.now) } });
  }

  happen(event: Happening): void {
    if (!('pick' in event)) return this.#wish(event.what, event.to);
    this.now += 500;
    const names = [...this.pods.keys()].toSorted();
    const name = names[event.pick % Math.max(1, names.length)];
    const pod = name === undefined ? undefined : this.pods.get(name);
    if (name === undefined || pod === undefined) return;
    const ended = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
    switch (event.what) {
      case 'ready':
      case 'unready':
        if (!ended) this.pods.set(name, withStatus(pod, 'Running', event.what === 'ready', this.now));
        break;
      case 'fail':
      case 'succeed':
        if (!ended)
          this.pods.set(name, withStatus(pod, event.what === 'fail' ? 'Failed' : 'Succeeded', false, this.now));
        break;
      case 'delete':
        this.remove(name);
        break;
      case 'confirm':
        if (pod.metadata?.deletionTimestamp !== undefined) this.pods.delete(name);
        break;
      case 'time':
        this.now += 3000;
    }
  }

  #wish(what: 'scale' | 'start' | 'update' | 'partition', to: number): void {
    const spec = this.set.spec as NonNullable<StatefulSet['spec']>;
    if (what === 'update') {
      this.revision += 1;
      return;
    }
    const { updateStrategy } = spec;
    const change =
      what === 'scale'
        ? { replicas: to }
        : what === 'start'
          ? { ordinals: { start: to } }
          : {
              updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, partition: to } },
            };
    this.set = { ...this.set, spec: { ...spec, ...change } };
  }

  /** Everything starts, everything that goes is gone. */
  heal(): void {
    this.now += MIN_READY_SECONDS * 1000 + 1;
    for (const [name, pod] of this.pods) {
      if (pod.metadata?.deletionTimestamp !== undefined) this.pods.delete(name);
      else if (pod.status?.phase === 'Pending' || pod.status?.conditions?.[0]?.status === 'False')
        this.pods.set(name, withStatus(pod, 'Running', true, this.now));
    }
  }
}

function withStatus(pod: Pod, phase: string, ready: boolean, now: number): Pod {
  const before = pod.status?.conditions?.[0];
  const status = ready ? 'True' : 'False';
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : time(now);
  return {
    ...pod,
    status: {
      phase,
      conditions: [{ type: 'Ready', status, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }],
    },
  };
}

function time(now: number): string {
  return new Date(now).toISOString();
}

function ordinalOf(pod: Pod): number {
  return memberOf(nameOf(pod))?.ordinal ?? -1;
}

function memberRevision(name: string | undefined): number | undefined {
  return name === undefined ? undefined : Number(name.replace('web-r', ''));
}

describe('a StatefulSet', () => {
  it.each([
    { parallel: false, maxUnavailable: undefined },
    { parallel: true, maxUnavailable: undefined },
    { parallel: false, maxUnavailable: 2 },
    { parallel: true, maxUnavailable: 2 },
  ])('has no identity twice, and comes to rest (parallel: $parallel, maxUnavailable: $maxUnavailable)', (mode) => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (events) => {
        const world = new World(mode.parallel, mode.maxUnavailable);
        for (const event of events) {
          world.step();
          world.happen(event);
        }
        world.happen({ what: 'partition', to: 0 });
        for (let round = 0; round < 60; round += 1) {
          world.step();
          world.heal();
        }
        const { start, count } = world.wanted;
        const expected = Array.from({ length: count }, (_, position) => `web-${start + position}`);
        expect(world.ordered().map(nameOf)).toEqual(expected);
        expect(world.plan()).toMatchObject({
          steps: [],
          status: {
            replicas: count,
            currentRevision: `web-r${world.revision}`,
            updateRevision: `web-r${world.revision}`,
          },
        });
      }),
      { numRuns: 200 },
    );
  });
});
