/** Whole rollouts by the pure plan alone, whatever is late: never too many pods, never too few that are available. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Deployment, IntOrString, PodTemplateSpec, ReplicaSet } from '../../api/index.ts';
import { isComplete } from './deployment-status.ts';
import { planDeployment } from './plan-deployment.ts';
import { fencepostsOf } from './rollout-math.ts';

const NOW = Date.UTC(2026, 0, 1);

interface SimPod {
  available: boolean;
}

/** A replica set with its pods as they are, and (in `told`) as its status says they are. */
interface SimSet {
  set: ReplicaSet;
  pods: SimPod[];
}

class World {
  deployment: Deployment;
  readonly sets: SimSet[] = [];
  #made = 0;

  constructor(deployment: Deployment) {
    this.deployment = deployment;
  }

  /** The deployment's controller takes one step. */
  roll(): void {
    const plan = planDeployment({
      deployment: this.deployment,
      sets: this.sets.map(({ set }) => set),
      hasPods: (set) => this.sets.some((each) => each.set === set && each.pods.length > 0),
      quietMs: 0,
      now: NOW,
    });
    const { create } = plan;
    if (create !== undefined) {
      this.#made += 1;
      const creationTimestamp = new Date(NOW + this.#made * 1000).toISOString();
      const metadata = { ...create.metadata, uid: `set${this.#made}`, creationTimestamp, generation: 1 };
      this.sets.push({ set: { ...create, metadata, status: { replicas: 0 } }, pods: [] });
    }
    for (const { set, replicas, annotations } of plan.changes) {
      const found = this.sets.find((each) => each.set === set);
      if (found === undefined) throw new Error('a change of a set that is not there');
      found.set = {
        ...set,
        metadata: {
          ...set.metadata,
          generation: (set.metadata?.generation ?? 0) + (replicas === undefined ? 0 : 1),
          annotations: { ...set.metadata?.annotations, ...annotations },
        },
        ...(set.spec === undefined ? {} : { spec: { ...set.spec, replicas: replicas ?? set.spec.replicas ?? 0 } }),
      };
    }
    this.deployment = { ...this.deployment, status: plan.status };
  }

  /** A set's controller makes or ends pods (those that are not available first), and tells. */
  replicate(each: SimSet): void {
    const size = each.set.spec?.replicas ?? 0;
    while (each.pods.length < size) each.pods.push({ available: false });
    each.pods.sort((a, b) => Number(b.available) - Number(a.available));
    each.pods.length = size;
    this.tell(each);
  }

  /** What it does, too, when it could neither make nor end pods. */
  tell(each: SimSet): void {
    const availableReplicas = each.pods.filter(({ available }) => available).length;
    const status = { replicas: each.pods.length, readyReplicas: availableReplicas, availableReplicas };
    each.set = { ...each.set, status: { ...status, observedGeneration: each.set.metadata?.generation ?? 0 } };
  }

  total(): number {
    return this.sets.reduce((sum, { pods }) => sum + pods.length, 0);
  }

  available(): number {
    return this.sets.reduce((sum, { pods }) => sum + pods.filter(({ available }) => available).length, 0);
  }
}

function template(image: string): PodTemplateSpec {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } };
}

const share = fc.oneof(
  fc.integer({ min: 0, max: 12 }),
  fc.integer({ min: 0, max: 100 }).map((percent): IntOrString => `${percent}%`),
);
const isNothing = (value: IntOrString): boolean => value === 0 || value === '0%';
const limits = fc
  .record({ maxSurge: share, maxUnavailable: share })
  .filter(({ maxSurge, maxUnavailable }) => !(isNothing(maxSurge) && isNothing(maxUnavailable)));

type Step =
  | { readonly do: 'roll' }
  | { readonly do: 'replicate' | 'tell' | 'start'; readonly which: number }
  | { readonly do: 'image'; readonly image: number };

const which = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'roll' }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('replicate' as const), which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('start' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tell' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('image' as const), image: fc.nat({ max: 3 }) }) },
);

function take(world: World, next: Step): void {
  if (next.do === 'roll') world.roll();
  else if (next.do === 'image') {
    const { spec } = world.deployment;
    if (spec !== undefined)
      world.deployment = { ...world.deployment, spec: { ...spec, template: template(`web:${next.image}`) } };
  } else {
    const each = world.sets[next.which % Math.max(1, world.sets.length)];
    if (each === undefined) return;
    if (next.do === 'replicate') world.replicate(each);
    else if (next.do === 'tell') world.tell(each);
    else {
      const pod = each.pods.find(({ available }) => !available);
      if (pod !== undefined) pod.available = true;
    }
  }
}

it('keeps between its fenceposts, and comes to an end', () => {
  const scenario = fc.record({
    replicas: fc.integer({ min: 1, max: 12 }),
    rollingUpdate: limits,
    steps: fc.array(step, { maxLength: 120 }),
  });
  fc.assert(
    fc.property(scenario, ({ replicas, rollingUpdate, steps }) => {
      const world = new World({
        metadata: { namespace: 'team', name: 'web', uid: 'd', generation: 1 },
        spec: {
          replicas,
          selector: { matchLabels: { app: 'web' } },
          template: template('web:0'),
          strategy: { type: 'RollingUpdate', rollingUpdate },
        },
      });
      const settle = (): void => {
        for (let turn = 0; turn < 400; turn += 1) {
          world.roll();
          for (const each of world.sets) {
            world.replicate(each);
            for (const pod of each.pods) pod.available = true;
            world.tell(each);
          }
          if (isComplete(world.deployment, world.deployment.status ?? {})) return;
        }
        throw new Error(`never complete: ${JSON.stringify(world.deployment.status)}`);
      };
      settle();
      const { maxSurge, maxUnavailable } = fencepostsOf(world.deployment);
      for (const next of steps) {
        take(world, next);
        expect(world.total()).toBeLessThanOrEqual(replicas + maxSurge);
        expect(world.available()).toBeGreaterThanOrEqual(replicas - maxUnavailable);
      }
      settle();
      expect(world.available()).toBe(replicas);
    }),
    { numRuns: 400 },
  );
});
