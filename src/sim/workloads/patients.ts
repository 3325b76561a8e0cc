/** The parts of pods in the workload. */
import type { Container, PodSpec, Probe } from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import { type Behaviour, commandOf } from '../runtime/behaviour.ts';

/** The state that an undisturbed pod must reach. `stopped`: its ladder is at its end. */
export type Expectation = 'ready' | 'restarting' | 'succeeded' | 'failed' | 'stopped';

export interface Patient {
  readonly kind: string;
  readonly expect: Expectation;
  readonly spec: PodSpec;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Time after which the ConfigMap that the pod needs is created, ms. */
  readonly needsConfigAfterMs?: number;
}

export function container(name: string, behaviour: Behaviour, more: Partial<Container> = {}): Container {
  return { name, image: 'registry.sim/app:1', command: commandOf(behaviour), ...more };
}

export function probe(more: Partial<Probe> = {}): Probe {
  return { httpGet: { path: '/', port: 8080 }, periodSeconds: 2, timeoutSeconds: 1, failureThreshold: 2, ...more };
}

export function between(random: Random, min: number, max: number): number {
  return Math.floor(min + random.next() * (max - min));
}

/** Each has its own: the scheduler would keep pods with the same one apart. */
const FIRST_HOST_PORT = 9000;
const HOST_PORT_EVERY = 2;

/** Every second patient has a host port, which leads to its first container. */
export function withHostPort<T extends Patient>(patient: T, at: number): T {
  const [first, ...others] = patient.spec.containers;
  if (at % HOST_PORT_EVERY !== 0 || first === undefined) return patient;
  const ports = [{ containerPort: 8080, hostPort: FIRST_HOST_PORT + at }];
  return { ...patient, spec: { ...patient.spec, containers: [{ ...first, ports }, ...others] } };
}
