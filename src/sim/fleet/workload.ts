/** The users of a fleet, who create, change and delete deployments, stateful and daemon sets, and jobs. */
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  type KubeObject,
  type PodTemplateSpec,
  type Resource,
  STATEFUL_SETS,
} from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import type { Fleet } from './fleet.ts';
import { People } from './people.ts';
import { behaviourAnnotation, type PodBehaviour } from './pod-behaviour.ts';

const NAMESPACE = 'default';

export interface WorkloadSize {
  readonly deployments: number;
  /** Maximum replicas of each deployment. */
  readonly replicas: number;
  readonly statefulSets: number;
  readonly daemonSets: number;
  readonly jobs: number;
}

interface Wanted {
  readonly resource: Resource<KubeObject>;
  readonly name: string;
}

export class FleetWorkload {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #people: People;
  readonly #wanted: Wanted[] = [];

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#random = fleet.sim.random.split('workload');
    this.#people = new People(fleet, this.#random);
  }

  /** Plans creations, changes and deletions over the next `forMs`. */
  plan(size: WorkloadSize, forMs: number): void {
    for (let i = 0; i < size.deployments; i += 1) this.#planDeployment(`web${i}`, size.replicas, forMs);
    for (let i = 0; i < size.statefulSets; i += 1) this.#planStatefulSet(`db${i}`, forMs);
    for (let i = 0; i < size.daemonSets; i += 1) this.#planDaemonSet(`agent${i}`, forMs);
    for (let i = 0; i < size.jobs; i += 1) this.#planJob(`work${i}`, forMs);
  }

  /** The requests that are still under way; undefined: none. */
  pending(): string | undefined {
    return this.#people.underWay === 0 ? undefined : `${this.#people.underWay} requests are under way`;
  }

  deleteAll(): void {
    for (const { resource, name } of this.#wanted) {
      const propagationPolicy = this.#random.next() < 0.5 ? 'Background' : 'Foreground';
      this.#people.do(() => this.#fleet.admin.delete(resource, NAMESPACE, name, { propagationPolicy }));
    }
  }

  #planDeployment(name: string, most: number, forMs: number): void {
    const replicas = (): number => 1 + Math.floor(this.#random.next() * most);
    const strategy =
      this.#random.next() < 0.15
        ? { type: 'Recreate' }
        : {
            type: 'RollingUpdate',
            rollingUpdate:
              this.#random.next() < 0.5
                ? { maxSurge: '25%', maxUnavailable: '25%' }
                : { maxSurge: 1, maxUnavailable: 0 },
          };
    const spec = {
      replicas: replicas(),
      selector: { matchLabels: { app: name } },
      strategy,
      template: this.#template(name),
    };
    this.#create(DEPLOYMENTS, 'apps/v1', name, spec);
    this.#sometimes(forMs, 90_000, () => this.#patch(DEPLOYMENTS, name, { spec: { replicas: replicas() } }));
    this.#sometimes(forMs, 150_000, () =>
      this.#patch(DEPLOYMENTS, name, { spec: { template: { metadata: { annotations: this.#version() } } } }),
    );
  }

  #planStatefulSet(name: string, forMs: number): void {
    const replicas = (): number => 1 + Math.floor(this.#random.next() * 5);
    const podManagementPolicy = this.#random.next() < 0.5 ? 'Parallel' : 'OrderedReady';
    const selector = { matchLabels: { app: name } };
    const spec = {
      replicas: replicas(),
      serviceName: name,
      podManagementPolicy,
      selector,
      template: this.#template(name),
    };
    this.#create(STATEFUL_SETS, 'apps/v1', name, spec);
    this.#sometimes(forMs, 120_000, () => this.#patch(STATEFUL_SETS, name, { spec: { replicas: replicas() } }));
    this.#sometimes(forMs, 200_000, () =>
      this.#patch(STATEFUL_SETS, name, { spec: { template: { metadata: { annotations: this.#version() } } } }),
    );
  }

  #planDaemonSet(name: string, forMs: number): void {
    this.#create(DAEMON_SETS, 'apps/v1', name, {
      selector: { matchLabels: { app: name } },
      template: this.#template(name),
    });
    this.#sometimes(forMs, 250_000, () =>
      this.#patch(DAEMON_SETS, name, { spec: { template: { metadata: { annotations: this.#version() } } } }),
    );
  }

  #planJob(name: string, forMs: number): void {
    const completions = 1 + Math.floor(this.#random.next() * 8);
    const runMs = 1000 + this.#random.next() * 20_000;
    const template = this.#template(name, { runMs, exit: 'Succeeded' });
    const indexed = this.#random.next() < 0.5 ? { completionMode: 'Indexed' } : {};
    const spec = {
      completions,
      parallelism: 1 + Math.floor(this.#random.next() * 4),
      // A node that dies fails its pods, which must not use up the job's limit.
      backoffLimit: 1000,
      ...indexed,
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
    };
    this.#fleet.sim.after(this.#random.next() * forMs * 0.7, `job ${name}`, () =>
      this.#create(JOBS, 'batch/v1', name, spec),
    );
  }

  #template(app: string, behaviour: Partial<PodBehaviour> = {}): PodTemplateSpec {
    const startMs = 100 + this.#random.next() * 3000;
    const stopMs = this.#random.next() * 3000;
    return {
      metadata: { labels: { app }, annotations: behaviourAnnotation({ startMs, stopMs, ...behaviour }) },
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'busybox', resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
      },
    };
  }

  #version(): Record<string, string> {
    return { version: String(Math.floor(this.#random.next() * 1_000_000)) };
  }

  #sometimes(forMs: number, everyMs: number, change: () => void): void {
    for (let at = 20_000; ; ) {
      at += -Math.log(1 - this.#random.next()) * everyMs;
      if (at >= forMs) return;
      this.#fleet.sim.after(at, 'people change their minds', change);
    }
  }

  #create(resource: Resource<KubeObject>, apiVersion: string, name: string, spec: object): void {
    this.#wanted.push({ resource, name });
    const object = { apiVersion, kind: resource.kind, metadata: { namespace: NAMESPACE, name }, spec };
    this.#people.do(() => this.#fleet.admin.create(resource, object));
  }

  #patch(resource: Resource<KubeObject>, name: string, patch: object): void {
    this.#people.do(() => this.#fleet.admin.patch(resource, NAMESPACE, name, 'strategic', patch));
  }
}
