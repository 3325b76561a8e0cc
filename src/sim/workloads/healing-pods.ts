/** Pods with healing policies: each is sick in a way that some rung of its ladder heals, or none. */
import { HEALING_POLICY, type HealingPolicySpec, type PodSpec } from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import type { Behaviour } from '../runtime/behaviour.ts';
import { between, container, type Patient, probe } from './patients.ts';

type Make = (random: Random) => Patient;

/** A back-off that is quick enough for a few minutes of virtual time. */
const QUICK = { initial: '1s', factor: 2, cap: '8s', resetAfter: '2m' };

function patient(kind: string, expect: Patient['expect'], policy: HealingPolicySpec, spec: PodSpec): Patient {
  return { kind, expect, spec, annotations: { [HEALING_POLICY]: JSON.stringify(policy) } };
}

function oneOf(behaviour: Behaviour): PodSpec {
  return { terminationGracePeriodSeconds: 5, containers: [container('main', behaviour), container('helper', {})] };
}

/** Pods by their sickness. */
export const HEALING_KINDS: readonly Make[] = [
  (random) =>
    patient(
      'heals-with-its-pod',
      'ready',
      {
        rungs: [
          { scope: 'container', attempts: 2 },
          { scope: 'pod', attempts: 50 },
        ],
        backOff: QUICK,
      },
      oneOf({ exitAfterMs: [0, between(random, 1, 3000)], exitCode: 1, wellFromSandbox: 1 }),
    ),
  (random) =>
    patient(
      'stops-at-the-end',
      'stopped',
      {
        rungs: [
          { scope: 'container', attempts: 3 },
          { scope: 'containers', attempts: 2 },
          { scope: 'pod', attempts: 2 },
        ],
        resetAfter: '20m',
        backOff: QUICK,
      },
      {
        ...oneOf({ exitAfterMs: [0, between(random, 1, 2000)], exitCode: 3 }),
        initContainers: [container('first', { exitAfterMs: [10, 500] })],
      },
    ),
  () =>
    patient(
      'bounded-by-its-maximum',
      'stopped',
      { rungs: [{ scope: 'pod', attempts: 100 }], maxPodRestarts: 2, resetAfter: '20m', backOff: QUICK },
      oneOf({ exitAfterMs: [0, 200], exitCode: 1 }),
    ),
  () =>
    patient(
      'own-curve',
      'restarting',
      {
        rungs: [{ scope: 'container', attempts: 100, window: '1m' }],
        backOff: { initial: '500ms', factor: 3, cap: '30s' },
        backOffAfterSuccess: { initial: '2s', factor: 1, cap: '2s' },
        rules: [{ onOutOfMemory: true, backOff: { initial: '5s', factor: 1, cap: '5s' } }],
      },
      oneOf({ exitAfterMs: [100, 2000], exitCode: 0 }),
    ),
  (random) =>
    patient(
      'frozen-until-restarted',
      'ready',
      { rungs: [{ scope: 'container', attempts: 50 }], backOff: QUICK },
      {
        terminationGracePeriodSeconds: 3,
        containers: [
          container(
            'main',
            { frozenAfterMs: 600_000, exitAfterMs: [2000, between(random, 2001, 9000)], wellFromAttempt: 2 },
            { livenessProbe: probe(), readinessProbe: probe() },
          ),
        ],
      },
    ),
  () =>
    patient(
      'stopped-by-a-rule',
      'stopped',
      {
        rungs: [{ scope: 'container', attempts: 100 }],
        rules: [{ onExitCodes: { operator: 'In', values: [78] }, action: 'Stop' }],
      },
      oneOf({ exitAfterMs: [100, 3000], exitCode: 78 }),
    ),
];
