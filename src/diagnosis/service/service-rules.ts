/** The rules about a service with pods of the cluster: its selector, its pods, its ports, its policies. Pure. */
import type { NetworkPolicy, Pod, ServicePort } from '../../api/index.ts';
import { controllerOf, labelSelectorOf, matchesLabels, SelectorError } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { lastFailure } from '../../log-analysis/index.ts';
import { containerFacts } from '../facts/pod/container-facts.ts';
import { quoteLine } from '../facts/words/last-words.ts';
import { listeningText } from '../facts/probes/listening.ts';
import { nearestPod, wrongLabelsText } from '../facts/peers/nearest-pod.ts';
import { adoptWords, straysText } from '../facts/peers/stray-endpoints.ts';
import { listed, plural } from '../facts/words/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { NORMAL_START_MS } from '../limits.ts';
import { NOTHING } from '../rule.ts';
import { saidBy } from '../rules/ends/exit-code.ts';
import { podsThatName } from './asked-for.ts';
import { blamedBy } from './clients.ts';
import {
  declaredPorts,
  isNodeDns,
  isReadyPod,
  kubectl,
  portText,
  selectorText,
  type ServiceFacts,
  type ServiceRule,
  targetOf,
  why,
} from './service-facts.ts';

function names(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata?.name ?? '');
}

/** The workloads whose pods it selects want none. That is a note where nothing is known to ask for it. */
const scaledToZero: ServiceRule = ({ behind, selected, service, evidence }) => {
  const targets = behind.nobody?.scaledToZero ?? [];
  if (selected.length > 0 || targets.length === 0) return NOTHING;
  const askers = podsThatName(evidence, [...behind.pods, ...(behind.outside ?? [])]);
  // Whoever comes from outside of the cluster stands in no specification.
  const isOpen = service.spec?.type === 'NodePort' || service.spec?.type === 'LoadBalancer';
  const isAsked = askers.length > 0 || blamedBy(evidence).length > 0;
  return [
    {
      id: 'scaled-to-zero',
      severity: isAsked ? 'critical' : isOpen ? 'warning' : 'info',
      rank: 95,
      topic: 'pods',
      says: `it has no pods, because ${listed(targets)} ${targets.length === 1 ? 'is' : 'are'} scaled to 0${isAsked || isOpen ? '' : ', and no pod names it in its specification'}`,
      evidence: [
        { source: 'field', path: 'spec.selector', value: selectorText(service) },
        ...targets.map((target): Quote => ({ source: 'field', of: target, path: 'spec.replicas', value: '0' })),
        ...askers.slice(0, 2).map(
          ({ metadata }): Quote => ({
            source: 'object',
            object: `pod/${metadata?.name ?? ''}`,
            says: `of namespace ${metadata?.namespace ?? ''}, names it`,
          }),
        ),
      ],
      try: targets.slice(0, 1).map((target) => kubectl(evidence, 'scale', target, '--replicas=1')),
    },
  ];
};

/** The workload that has its labels cannot make its pods. */
const notMade: ServiceRule = ({ behind, selected, service, evidence }) => {
  const unmade = behind.nobody?.unmade;
  if (selected.length > 0 || unmade === undefined) return NOTHING;
  return [
    {
      id: 'no-pod-ready',
      severity: 'critical',
      rank: 95,
      topic: 'pods',
      says: `it reaches nobody, because it has no pods: ${unmade}`,
      evidence: [{ source: 'field', path: 'spec.selector', value: selectorText(service) }],
      try: [kubectl(evidence, 'get', 'events', '--field-selector', 'reason=FailedCreate')],
    },
  ];
};

/** Nobody has its labels: the pod that has most of them tells which one is wrong. */
const nothingSelected: ServiceRule = (facts) => {
  const { service, selected, behind, evidence } = facts;
  const selector = Object.entries(service.spec?.selector ?? {});
  if (selector.length === 0 || selected.length > 0 || behind.nobody?.scaledToZero.length) return NOTHING;
  if (behind.nobody?.unmade !== undefined) return NOTHING;
  const field: Quote = { source: 'field', path: 'spec.selector', value: selectorText(service) };
  const base = { id: 'selector-matches-nothing', severity: 'critical' as const, rank: 95, topic: 'pods' };
  const nearest = nearestPod(behind.pods, selector, evidence.name);
  if (nearest === undefined)
    return [
      {
        ...base,
        says: `no pod in namespace ${evidence.namespace} has the labels ${selectorText(service)}`,
        evidence: [field, { source: 'object', object: `namespace/${evidence.namespace}`, says: podsText(behind.pods) }],
        try: [kubectl(evidence, 'get', 'pods', '--show-labels')],
      },
    ];
  const { pod, wrong } = nearest;
  const name = pod.metadata?.name ?? '';
  if (wrong.length === 0) {
    const { phase = 'Unknown' } = pod.status ?? {};
    return [
      {
        ...base,
        id: 'no-pod-ready',
        says: `pod ${name}, which its selector matches, has ended (${phase}), and no other pod has its labels`,
        evidence: [field, { source: 'object', object: `pod/${name}`, says: stateText(pod) }],
        try: [why(evidence, `pod/${name}`)],
      },
    ];
  }
  const labels = Object.entries(pod.metadata?.labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  return [
    {
      ...base,
      says: `its selector matches no pod; the nearest, pod ${name}, ${wrongLabelsText(nearest)}`,
      evidence: [field, { source: 'field', of: `pod/${name}`, path: 'metadata.labels', value: labels }],
      try: [kubectl(evidence, 'edit', `service/${evidence.name}`), kubectl(evidence, 'get', 'pods', '--show-labels')],
    },
  ];
};

function podsText(pods: readonly Pod[]): string {
  return pods.length === 0 ? 'has no pods' : `has ${plural(pods.length, 'pod')}, with other labels`;
}

const nothingReady: ServiceRule = ({ selected, ready, service, evidence }) => {
  if (selected.length === 0 || ready.length > 0) return NOTHING;
  if (service.spec?.publishNotReadyAddresses === true) return NOTHING;
  const [first] = selected;
  return [
    {
      id: 'no-pod-ready',
      severity: 'critical',
      rank: 90,
      topic: 'pods',
      says: `none of its ${plural(selected.length, 'pod')} is ready`,
      evidence: selected.slice(0, 3).map(
        (pod): Quote => ({
          source: 'object',
          object: `pod/${pod.metadata?.name ?? ''}`,
          says: stateText(pod),
        }),
      ),
      try: [why(evidence, `pod/${first?.metadata?.name ?? ''}`)],
      pods: names(selected),
    },
  ];
};

function stateText(pod: Pod): string {
  if (pod.metadata?.deletionTimestamp !== undefined) return 'is being deleted';
  const condition = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  const text = condition?.message || condition?.reason || 'not ready';
  return `${pod.status?.phase ?? 'Unknown'}: ${text}`;
}

/** A named port that no container has. */
const unnamedPort: ServiceRule = ({ service, selected, evidence }) =>
  (service.spec?.ports ?? []).flatMap((port): readonly RankedFinding[] => {
    const without = selected.filter((pod) => targetOf(pod, port) === undefined);
    const [first] = without;
    if (first === undefined) return NOTHING;
    const declared = (first.spec?.containers ?? []).flatMap(({ ports = [] }) =>
      ports.map(
        ({ name = '', containerPort, protocol = 'TCP' }) =>
          `${name === '' ? '' : `${name} `}${containerPort}/${protocol}`,
      ),
    );
    const all = without.length === selected.length;
    return [
      {
        id: 'target-port-not-found',
        severity: all ? 'critical' : 'warning',
        rank: 93,
        topic: `port/${port.port}`,
        says: `port ${portText(port)} leads to the port "${port.targetPort}", which no container of ${all ? 'its pods' : `${without.length} of its ${selected.length} pods`} has${declared.length === 0 ? '; they declare no port' : ` (they have ${listed(declared)})`}`,
        evidence: [
          { source: 'field', path: `spec.ports[${portText(port)}].targetPort`, value: `"${port.targetPort}"` },
          {
            source: 'field',
            of: `pod/${first.metadata?.name ?? ''}`,
            path: 'spec.containers[*].ports',
            value: declared.join(', ') || 'none',
          },
        ],
        try: [kubectl(evidence, 'edit', `service/${evidence.name}`)],
        pods: names(without),
      },
    ];
  });

/** The pods declare the number for another protocol. What they declare is only a sign: who is heard there is right. */
const otherProtocol: ServiceRule = ({ service, selected, behind, evidence }) => {
  const ports = service.spec?.ports ?? [];
  return ports.flatMap((port): readonly RankedFinding[] => {
    const { protocol = 'TCP' } = port;
    const wrong = selected.flatMap((pod) => {
      const target = targetOf(pod, port);
      const declared = declaredPorts(pod).filter(({ containerPort }) => containerPort === target);
      const protocols = declared.map((each) => each.protocol ?? 'TCP');
      if (target === undefined || declared.length === 0 || protocols.includes(protocol)) return [];
      const isBeside = ports.some(
        (other) => targetOf(pod, other) === target && protocols.includes(other.protocol ?? 'TCP'),
      );
      const heard = protocol === 'TCP' ? (behind.listening[pod.metadata?.name ?? ''] ?? []) : [];
      return isBeside || heard.some((each) => each.port === target) ? [] : [{ pod, target, protocols }];
    });
    const [first] = wrong;
    if (first === undefined) return NOTHING;
    const { pod, target, protocols } = first;
    const which = wrong.length === selected.length ? 'its pods' : `${wrong.length} of its ${selected.length} pods`;
    const own = [...new Set(protocols)].map((each) => `${target}/${each}`);
    return [
      {
        id: 'target-port-protocol',
        severity: 'warning',
        rank: 91,
        topic: `port/${port.port}`,
        says: `port ${portText(port)} leads to port ${target}/${protocol} of ${which}, which declare ${listed(own)} only`,
        evidence: [
          { source: 'field', path: `spec.ports[${portText(port)}].protocol`, value: protocol },
          {
            source: 'field',
            of: `pod/${pod.metadata?.name ?? ''}`,
            path: 'spec.containers[*].ports',
            value: own.join(', '),
          },
        ],
        try: [kubectl(evidence, 'edit', `service/${evidence.name}`)],
        pods: names(wrong.map((each) => each.pod)),
      },
    ];
  });
};

/** Nobody listens where the traffic goes. Only TCP can be looked up. */
const wrongPort: ServiceRule = ({ service, selected, behind, evidence }) =>
  (service.spec?.ports ?? []).flatMap((port) => {
    if ((port.protocol ?? 'TCP') !== 'TCP') return NOTHING;
    const asked = selected.filter((pod) => behind.listening[pod.metadata?.name ?? ''] !== undefined);
    const deaf = asked.filter((pod) => !isHeard(pod, port, behind.listening[pod.metadata?.name ?? ''] ?? []));
    const [first] = deaf;
    return first === undefined ? NOTHING : [wrongPortFinding({ pod: first, port, deaf, asked }, { behind, evidence })];
  });

function isHeard(pod: Pod, port: ServicePort, ports: ServiceFacts['behind']['listening'][string]): boolean {
  const target = targetOf(pod, port);
  return target === undefined || ports.some((each) => each.port === target && each.loopback === undefined);
}

interface Deaf {
  readonly pod: Pod;
  readonly port: ServicePort;
  readonly deaf: readonly Pod[];
  readonly asked: readonly Pod[];
}

/** Pods of another workload than those that listen, which the selector perhaps need not match. */
function strangerText({ service }: ServiceFacts['evidence'], deaf: readonly Pod[], asked: readonly Pod[]): string {
  const ownersOf = (pods: readonly Pod[]): ReadonlySet<string> => new Set(pods.map((pod) => ownerName(pod)));
  const heard = ownersOf(asked.filter((pod) => !deaf.includes(pod)));
  const [only, ...more] = ownersOf(deaf);
  if (only === undefined || only === '' || more.length > 0 || heard.size === 0 || heard.has(only)) return '';
  const selector = Object.entries(service?.spec?.selector ?? {}).map(([key, value]) => `${key}=${value}`);
  return `; its selector ${selector.join(',')} matches the pods of ${listed([...heard])} and those of ${only}, too`;
}

/** "web", of a pod of ReplicaSet web-6f68b5ffbc. */
function ownerName(pod: Pod): string {
  const owner = controllerOf(pod);
  return owner?.kind === 'ReplicaSet' ? owner.name.replace(/-[a-z0-9]{1,12}$/, '') : (owner?.name ?? '');
}

function wrongPortFinding(
  { pod, port, deaf, asked }: Deaf,
  { behind, evidence }: Pick<ServiceFacts, 'behind' | 'evidence'>,
): RankedFinding {
  const name = pod.metadata?.name ?? '';
  const ports = behind.listening[name] ?? [];
  const target = targetOf(pod, port) ?? 0;
  const said = ports.length === 0 ? saidOf(behind, name) : undefined;
  const inside = ports.find((each) => each.port === target);
  const open = ports.filter(({ loopback }) => loopback === undefined).map((each) => String(each.port));
  const instead =
    inside !== undefined
      ? `listens on ${inside.loopback}:${target} only, which no other pod reaches`
      : open.length > 0
        ? `listens on ${listed(open)} instead`
        : 'listens on no port that other pods reach';
  return {
    id: 'target-port-unheard',
    severity: deaf.length === asked.length ? 'critical' : 'warning',
    rank: 92,
    topic: `port/${port.port}`,
    says: `port ${portText(port)} leads to port ${target} of its pods, where nothing listens: pod ${name} ${instead}${strangerText(evidence, deaf, asked)}${said === undefined ? '' : `; its log says: ${saidBy(said.line)}`}`,
    evidence: [
      {
        source: 'field',
        path: `spec.ports[${portText(port)}].targetPort`,
        value: String(port.targetPort ?? port.port),
      },
      { source: 'object', object: `pod/${name}`, says: `listens on ${listeningText(ports)}` },
      ...(said === undefined ? [] : [quoteLine(said.container, said.line.line)]),
    ],
    try: [
      ...(said === undefined ? [] : [kubectl(evidence, 'logs', name, '-c', said.container.name)]),
      kubectl(evidence, 'edit', `service/${evidence.name}`),
    ],
    pods: names(deaf),
  };
}

/** The error in the log of a pod that looks well, and listens nowhere. */
function saidOf({ deaf = [] }: ServiceFacts['behind'], name: string) {
  const evidence = deaf.find(({ pod }) => pod.metadata?.name === name);
  return (evidence === undefined ? [] : containerFacts(evidence)).flatMap((container) => {
    const line = container.again?.said ?? container.reading.decisive ?? lastFailure(container.lines);
    return container.kind === 'init' || line === undefined ? [] : [{ container, line }];
  })[0];
}

/** Policy Local: nodes without an endpoint drop what comes. */
const localWithoutPod: ServiceRule = ({ service, ready, behind, evidence }) => {
  const { externalTrafficPolicy, internalTrafficPolicy } = service.spec ?? {};
  const policies = [
    ['externalTrafficPolicy', externalTrafficPolicy] as const,
    ['internalTrafficPolicy', internalTrafficPolicy] as const,
  ].filter(([, value]) => value === 'Local');
  const nodes = new Set(ready.map(({ spec }) => spec?.nodeName ?? ''));
  const without = behind.readyNodes.filter((name) => !nodes.has(name));
  if (policies.length === 0 || ready.length === 0 || without.length === 0) return NOTHING;
  const isInside = policies.some(([field]) => field === 'internalTrafficPolicy');
  return [
    {
      id: 'local-without-pod',
      severity: 'warning',
      rank: 70,
      topic: 'policy',
      says: `its policy is Local, and ${listed(without.map((name) => `node ${name}`))} ${without.length === 1 ? 'has' : 'have'} no ready pod of it: what ${isInside ? 'pods there send' : 'comes in there'} is dropped`,
      evidence: policies.map(
        ([field, value]): Quote => ({ source: 'field', path: `spec.${field}`, value: value ?? '' }),
      ),
      try: [
        kubectl(evidence, 'get', 'pods', '-o', 'wide', '-l', selectorText(service)),
        kubectl(evidence, 'patch', `service/${evidence.name}`, '-p', `{"spec":{"${policies[0]?.[0]}":"Cluster"}}`),
      ],
    },
  ];
};

/** mendlet enforces none: a policy that is there explains nothing, and protects nothing. */
const unenforcedPolicy: ServiceRule = ({ selected, behind, evidence }) => {
  const found = behind.policies.filter((policy) => selected.some((pod) => concerns(policy, pod)));
  if (found.length === 0) return NOTHING;
  const texts = found.map(({ metadata }) => metadata?.name ?? '');
  return [
    {
      id: 'network-policy-not-enforced',
      severity: 'info',
      rank: 20,
      topic: 'network-policy',
      says: `NetworkPolicy ${listed(texts)} is about its pods, and mendlet enforces none: only a network plugin of the nodes can`,
      evidence: texts
        .slice(0, 3)
        .map((name): Quote => ({ source: 'object', object: `networkpolicy/${name}`, says: 'selects its pods' })),
      try: [kubectl(evidence, 'describe', 'networkpolicy', ...texts.slice(0, 1))],
    },
  ];
};

function concerns({ spec }: NetworkPolicy, pod: Pod): boolean {
  try {
    const selector = labelSelectorOf(spec?.podSelector);
    return selector !== undefined && matchesLabels(selector, pod.metadata?.labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

/** Without a selector the endpoints are somebody's own work. */
const noEndpoints: ServiceRule = ({ service, behind, evidence }) => {
  if (Object.keys(service.spec?.selector ?? {}).length > 0 || isNodeDns(service)) return NOTHING;
  const endpoints = behind.slices.flatMap((slice) => slice.endpoints ?? []);
  const usable = endpoints.filter(({ conditions }) => conditions?.ready !== false || conditions.serving === true);
  if (usable.length > 0) return NOTHING;
  const strays = endpoints.length === 0 ? (behind.strays ?? []) : [];
  const adopt = adoptWords(evidence.name, strays);
  return [
    {
      id: 'no-endpoints',
      severity: 'critical',
      rank: 90,
      topic: 'pods',
      says: `it has no selector, and ${endpoints.length === 0 ? `${strays.length === 0 ? 'nobody has written endpoints for it' : 'no endpoints of its own'}${straysText(strays)}` : 'none of its endpoints is ready'}`,
      evidence: [
        { source: 'field', path: 'spec.selector', value: 'none' },
        { source: 'object', object: 'endpointslices', says: `${endpoints.length} endpoints` },
      ],
      try: [
        ...(adopt === undefined ? [] : [kubectl(evidence, ...adopt)]),
        kubectl(evidence, 'get', 'endpointslices', '-l', `kubernetes.io/service-name=${evidence.name}`),
      ],
    },
  ];
};

/** Endpoints that somebody wrote belong to a port of the service by its name. */
const foreignPort: ServiceRule = ({ service, behind, evidence }) => {
  if (Object.keys(service.spec?.selector ?? {}).length > 0) return NOTHING;
  const slices = behind.slices.filter(({ endpoints }) => (endpoints ?? []).length > 0);
  const written = slices.flatMap(({ ports }) => (ports ?? []).filter((each) => each !== null));
  const alone = (service.spec?.ports ?? []).filter(
    ({ name = '', protocol = 'TCP' }) =>
      !written.some((each) => (each.name ?? '') === name && (each.protocol ?? 'TCP') === protocol),
  );
  if (written.length === 0) return NOTHING;
  const own = [...new Set(written.map(({ name, port = 0, protocol }) => portText({ name, port, protocol })))];
  return alone.map(
    (port): RankedFinding => ({
      id: 'no-endpoints',
      severity: 'critical',
      rank: 90,
      topic: `port/${port.port}`,
      says: `port ${portText(port)} reaches nobody: the endpoints that were written for it have only ${own.length === 1 ? 'port' : 'ports'} ${listed(own)}, and the names must be equal`,
      evidence: [
        { source: 'field', path: `spec.ports[${portText(port)}].name`, value: port.name ?? 'none' },
        {
          source: 'field',
          of: `endpointslice/${slices[0]?.metadata?.name ?? ''}`,
          path: 'ports',
          value: own.join(', '),
        },
      ],
      try: [
        kubectl(evidence, 'edit', `service/${evidence.name}`),
        kubectl(evidence, 'get', 'endpointslices', '-l', `kubernetes.io/service-name=${evidence.name}`),
      ],
    }),
  );
};

/** Nothing in the cluster gives it an address outside; an event that says why is told instead. */
const withoutAddress: ServiceRule = ({ service, evidence }) => {
  const createdAt = parseTime(service.metadata?.creationTimestamp ?? undefined);
  if (service.spec?.type !== 'LoadBalancer' || createdAt === undefined) return NOTHING;
  if ((service.status?.loadBalancer?.ingress ?? []).length > 0 || evidence.now - createdAt < NORMAL_START_MS)
    return NOTHING;
  if (evidence.events.some(({ reason = '' }) => /LoadBalancer/.test(reason))) return NOTHING;
  const of = service.spec.loadBalancerClass;
  return [
    {
      id: 'no-load-balancer',
      severity: 'info',
      rank: 15,
      topic: 'outside',
      says: `it is of type LoadBalancer, and nothing${of === undefined ? '' : ` of class ${of}`} has given it an address outside`,
      evidence: [
        { source: 'field', path: 'spec.type', value: 'LoadBalancer' },
        { source: 'field', path: 'status.loadBalancer.ingress', value: 'none' },
      ],
      try: [kubectl(evidence, 'describe', `service/${evidence.name}`)],
    },
  ];
};

/** Ready pods that no slice names: the controller is behind, or cannot write. */
const notPublished: ServiceRule = ({ service, ready, behind, evidence }) => {
  const published = new Set(
    behind.slices.flatMap((slice) => (slice.endpoints ?? []).map(({ targetRef }) => targetRef?.name ?? '')),
  );
  const missing = ready.filter((pod) => isReadyPod(pod) && !published.has(pod.metadata?.name ?? ''));
  const isLeftOut = (pod: Pod): boolean =>
    (service.spec?.ports ?? []).every((port) => targetOf(pod, port) !== undefined);
  const late = missing.filter(isLeftOut);
  if (late.length === 0) return NOTHING;
  return [
    {
      id: 'endpoints-behind',
      severity: 'warning',
      rank: 75,
      topic: 'endpoints',
      says: `${plural(late.length, 'ready pod')} of it ${late.length === 1 ? 'is' : 'are'} in no EndpointSlice`,
      evidence: [{ source: 'object', object: 'endpointslices', says: `${published.size} pods are in them` }],
      try: [kubectl(evidence, 'get', 'endpointslices', '-l', `kubernetes.io/service-name=${evidence.name}`)],
      pods: names(late),
    },
  ];
};

/** What is worth saying of a service among many objects, where nobody was asked which ports are open. */
export const SERVICE_RULES_OF_GROUPS: readonly ServiceRule[] = [
  nothingSelected,
  nothingReady,
  unnamedPort,
  otherProtocol,
  noEndpoints,
  foreignPort,
];

export const SERVICE_RULES: readonly ServiceRule[] = [
  scaledToZero,
  notMade,
  nothingSelected,
  nothingReady,
  unnamedPort,
  otherProtocol,
  wrongPort,
  noEndpoints,
  foreignPort,
  withoutAddress,
  notPublished,
  localWithoutPod,
  unenforcedPolicy,
];
