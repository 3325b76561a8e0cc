/** /mendlet/v1/path: tries the way from a pod of this node to a service, for whoever asks where it is broken. */
import { checkDns1123Label, checkDns1123Subdomain, type ServicePath } from '../../api/index.ts';
import { type Clock, errorMessage, type HttpResponse, Semaphore } from '../../lib/index.ts';
import { groupOf, livingOf } from '../deaths/living-containers.ts';
import type { Cgroups, KnownService, NodeServices, PathOutcome, PathProbe, PathTry } from '../ports.ts';
import type { PodDirectory, PodView } from '../types.ts';
import { MAX_PATHS_WAITING, MAX_PODS_LOOKED_AT } from './limits.ts';
import { type PathFacts, planPath, podsToTry, type ServiceName, type TriedPod } from './path-plan.ts';
import { pathSteps } from './path-steps.ts';
import { jsonResponse, RequestError } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

export interface PathInputs {
  readonly clock: Clock;
  readonly directory: PodDirectory;
  readonly cgroups: Pick<Cgroups, 'processes'>;
  /** Absent: nothing can be tried here. */
  readonly services?: NodeServices;
  readonly pathProbe?: PathProbe;
  readonly node: { readonly nodeName: string; readonly clusterDomain: string };
}

export function pathRoutes(inputs: PathInputs): readonly Route[] {
  const { services, pathProbe } = inputs;
  if (services === undefined || pathProbe === undefined) return [];
  const paths = new ServicePaths({ ...inputs, services, pathProbe });
  return [{ path: '/mendlet/v1/path', methods: ['GET'], answer: (call) => paths.answer(call) }];
}

interface Place {
  readonly pid: number;
  readonly pod: TriedPod;
}

class ServicePaths {
  readonly #inputs: PathInputs & Required<Pick<PathInputs, 'services' | 'pathProbe'>>;
  /** Each try starts programs. */
  readonly #turn = new Semaphore(1);
  #asked = 0;

  constructor(inputs: PathInputs & Required<Pick<PathInputs, 'services' | 'pathProbe'>>) {
    this.#inputs = inputs;
  }

  async answer({ query, request }: RouteCall): Promise<HttpResponse> {
    const asked = parseQuery(query);
    if (this.#asked > MAX_PATHS_WAITING) throw new RequestError(429, 'other ways are being tried; try again later');
    this.#asked += 1;
    try {
      return jsonResponse(
        await this.#turn.run(async () => {
          request.signal?.throwIfAborted();
          return await this.#tryWay(asked, request.signal);
        }),
      );
    } finally {
      this.#asked -= 1;
    }
  }

  async #tryWay({ wanted, from }: AskedPath, signal: AbortSignal | undefined): Promise<ServicePath> {
    const { clock, services, node } = this.#inputs;
    const [service, routing] = await Promise.all([
      services
        .find(wanted.namespace, wanted.name)
        .catch((error: unknown) => `whether there is such a service is not known: ${errorMessage(error)}`),
      services.routing(),
    ]);
    const place = typeof service === 'object' ? await this.#place({ wanted, from }, service) : undefined;
    const facts: PathFacts = {
      wanted,
      clusterDomain: node.clusterDomain,
      now: clock.now().wall,
      service,
      routing,
      dns: services.dns(),
      pod: place?.pod ?? nowhere(from),
    };
    return this.#tell(await this.#steps(facts, place?.pid, signal));
  }

  #tell({ facts, steps }: { readonly facts: PathFacts; readonly steps: ServicePath['steps'] }): ServicePath {
    return {
      apiVersion: 'mendlet.dev/v1alpha1',
      kind: 'ServicePath',
      nodeName: this.#inputs.node.nodeName,
      service: facts.wanted,
      ...(typeof facts.pod === 'object' && { pod: facts.pod.name }),
      steps,
    };
  }

  async #steps(
    facts: PathFacts,
    pid: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly facts: PathFacts; readonly steps: ServicePath['steps'] }> {
    const { pathProbe } = this.#inputs;
    const plan = planPath(facts);
    const lookups = listOf(plan.lookup);
    const connections = plan.connections.map(({ attempt }) => attempt);
    const [atNode, atPlace] = await Promise.all([
      pathProbe.tryAll(undefined, listOf(plan.dns), signal),
      pathProbe.tryAll(pid, [...lookups, ...connections], signal),
    ]);
    // A pod may end at any moment, and not every machine lets us into its network.
    if (pid !== undefined && isProblem(atPlace)) {
      const { name } = typeof facts.pod === 'object' ? facts.pod : { name: facts.wanted };
      const pod = `the network of pod ${name.namespace}/${name.name} cannot be entered (${atPlace.problem})`;
      return await this.#steps({ ...facts, pod }, undefined, signal);
    }
    const outcomes = isProblem(atPlace) ? atPlace.problem : atPlace;
    const results = {
      dns: isProblem(atNode) ? atNode.problem : atNode[0],
      lookup: lookups.length === 0 || typeof outcomes === 'string' ? undefined : outcomes[0],
      connections: typeof outcomes === 'string' ? outcomes : outcomes.slice(lookups.length),
    };
    return { facts, steps: pathSteps(facts, plan, results) };
  }

  /** All containers of a pod share its network. */
  async #place({ wanted, from }: AskedPath, service: KnownService): Promise<Place | undefined> {
    const { directory, cgroups, pathProbe } = this.#inputs;
    const own = new Set(service.ports.flatMap(({ endpoints }) => (endpoints ?? []).map(({ ip }) => ip)));
    const running = directory.pods().filter((view) => livingOf(view).length > 0 && isFrom(view, from));
    for (const view of podsToTry(running, wanted, own).slice(0, MAX_PODS_LOOKED_AT)) {
      for (const container of livingOf(view)) {
        const pids = await cgroups.processes(groupOf(container)).catch(() => []);
        const pid = pathProbe.inOwnNetwork(pids);
        if (pid !== undefined) return { pid, pod: triedPod(view, await pathProbe.nameServers(pid)) };
      }
    }
    return undefined;
  }
}

function triedPod({ pod }: PodView, nameServers: readonly string[] | undefined): TriedPod {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  return { name: { namespace, name }, dnsPolicy: pod.spec?.dnsPolicy ?? 'ClusterFirst', nameServers };
}

function isFrom({ pod: { metadata } }: PodView, from: ServiceName | undefined): boolean {
  return from === undefined || (metadata?.namespace === from.namespace && metadata.name === from.name);
}

function nowhere(from: ServiceName | undefined): string {
  if (from === undefined) return 'no pod of this node has a network that can be entered';
  return `pod ${from.namespace}/${from.name} does not run on this node, or has no network of its own that can be entered`;
}

function isProblem(
  outcomes: readonly PathOutcome[] | { readonly problem: string },
): outcomes is { readonly problem: string } {
  return 'problem' in outcomes;
}

function listOf(attempt: PathTry | undefined): readonly PathTry[] {
  return attempt === undefined ? [] : [attempt];
}

/** What is asked for. */
interface AskedPath {
  readonly wanted: ServiceName;
  /** The pod in whose network it is tried; undefined: the best of the node. */
  readonly from: ServiceName | undefined;
}

/** @throws RequestError for what cannot be the name of a service, or of a pod */
function parseQuery(query: URLSearchParams): AskedPath {
  const wanted = parseService(query);
  const [namespace, name] = ['fromNamespace', 'fromPod'].map((each) => query.get(each) ?? '');
  if (!namespace && !name) return { wanted, from: undefined };
  if (!namespace || !name)
    throw new RequestError(400, 'a pod needs its name and namespace: &fromNamespace=NS&fromPod=NAME');
  if (checkDns1123Label(namespace).length > 0 || checkDns1123Subdomain(name).length > 0)
    throw new RequestError(400, 'that is not the name of a pod');
  return { wanted, from: { namespace, name } };
}

function parseService(query: URLSearchParams): ServiceName {
  const namespace = query.get('namespace') ?? '';
  const name = query.get('service') ?? '';
  if (namespace === '' || name === '')
    throw new RequestError(400, 'a service needs its name and namespace: ?namespace=NS&service=NAME');
  if (checkDns1123Label(namespace).length > 0) throw new RequestError(400, 'that is not the name of a namespace');
  // Newer servers let names of services begin with a digit (RelaxedServiceNameValidation).
  if (checkDns1123Label(name).length > 0) throw new RequestError(400, 'that is not the name of a service');
  return { namespace, name };
}
