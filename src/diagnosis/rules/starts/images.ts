/** Rule: an image cannot be pulled, with the kind of the failure. */
import { anyOf } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { because } from '../../facts/words/innermost.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import { nearNames } from '../../../lib/index.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { title } from '../ends/exit-code.ts';
import { REFUSED_PULL, saidOfSecrets } from './pull-secrets.ts';

const REASONS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

interface Kind {
  readonly id: string;
  readonly pattern: RegExp;
  readonly says: (image: Image) => string;
  readonly try: (given: Given) => readonly string[];
  /** What the runtime said is told, too, because the kind does not say all. */
  readonly tells?: true;
}

interface Given {
  readonly facts: PodFacts;
  /** The container's name. */
  readonly container: string;
  readonly image: Image;
  /** The scheme of the request to the registry. */
  readonly scheme: 'http' | 'https';
}

interface Image {
  readonly name: string;
  readonly registry: string;
}

const login = ({ facts, image }: Given): readonly string[] => {
  const { kubectl, owned, edit } = facts.commands;
  const wrong = saidOfSecrets(facts, image.registry)?.secret;
  const args = [`--docker-server=${image.registry}`, '--docker-username=USER', '--docker-password=PASSWORD'];
  const secret = kubectl('create', 'secret', 'docker-registry', wrong ?? 'pull-secret', ...args);
  const isThere = facts.evidence.configs.some(({ name, state }) => name === wrong && state === 'found');
  if (wrong !== undefined) return isThere ? [`${secret} --dry-run=client -o yaml | kubectl replace -f -`] : [secret];
  const account = facts.pod.spec?.serviceAccountName ?? 'default';
  return [
    secret,
    kubectl('patch', 'serviceaccount', account, '-p', '{"imagePullSecrets":[{"name":"pull-secret"}]}'),
    // Pull secrets are written into pods at their creation, so the pod must be replaced.
    ...(owned ? [kubectl('delete', `pod/${facts.name}`)] : edit),
  ];
};

const rename = ({ facts, container }: Given): readonly string[] => [
  facts.commands.kubectl('set', 'image', facts.commands.target, `${container}=IMAGE:TAG`),
];
/** Changes the image in place, which works for pods, too. */
const change = ({ facts, container, image }: Given): readonly string[] => [
  facts.commands.kubectl('set', 'image', facts.commands.target, `${container}=${withoutTag(image.name)}:TAG`),
];

/** Kinds of failures; the first match counts, because a message may contain words of several. */
const KINDS: readonly Kind[] = [
  {
    id: 'image-rate-limit',
    pattern: /toomanyrequests|too many requests|rate limit|\b429\b/i,
    says: ({ name, registry }) => `registry ${registry} has had too many requests from here for ${name}`,
    try: login,
  },
  {
    id: 'image-wrong-platform',
    pattern:
      /no match for platform|no matching manifest|does not match the (?:specified|detected) platform|exec format/i,
    says: ({ name }) => `there is no ${name} for the machine of its node`,
    try: ({ facts }) => [facts.commands.cluster('get', 'nodes', '-L', 'kubernetes.io/arch')],
  },
  {
    id: 'image-unauthorized',
    pattern: REFUSED_PULL,
    says: ({ name, registry }) =>
      `registry ${registry} does not let it pull ${name} (some registries say so, too, when there is no such image)`,
    try: login,
  },
  {
    id: 'image-registry-tls',
    pattern: /x509:|tls:|certificate|server gave HTTP response to HTTPS client/i,
    says: ({ name, registry }) => `registry ${registry} and its node do not agree on TLS: ${name} is not pulled`,
    tells: true,
    try: change,
  },
  {
    id: 'image-registry-unreachable',
    pattern: anyOf(
      /no such host/i,
      /connection refused/i,
      /\b50[0234]\b/i,
      /no route to host/i,
      /network is unreachable/i,
      /i\/o timeout/i,
      /context deadline exceeded/i,
      /temporary failure in name resolution/i,
      /server misbehaving/i,
      /connection reset/i,
      /\bEOF\b/i,
      /RegistryUnavailable/i,
      /failed to do request/i,
    ),
    says: ({ name, registry }) => `registry ${registry} cannot be reached from its node: ${name} is not pulled`,
    tells: true,
    try: (given) => [
      ...change(given),
      `curl -sSI ${given.scheme}://${given.image.registry}/v2/  # on node ${given.facts.pod.spec?.nodeName ?? ''}`,
    ],
  },
  {
    id: 'image-pull',
    pattern: /unexpected media type|no longer supported|did not resolve to an alias|unexpected commit digest/i,
    says: ({ name }) => `its image ${name} cannot be pulled`,
    tells: true,
    try: change,
  },
  {
    id: 'image-not-found',
    pattern: /not found|manifest unknown|name unknown|\b404\b|does not exist/i,
    says: ({ name, registry }) => `registry ${registry} has no ${name}`,
    try: change,
  },
  {
    id: 'image-disk-full',
    pattern: /no space left on device/i,
    says: ({ name }) => `the disk of its node is too full for ${name}`,
    try: ({ facts }) => [facts.commands.whyNode(facts.pod.spec?.nodeName ?? '')],
  },
];

export const images: PodRule = eachContainer((facts, container) => {
  const waiting = container.status?.state?.waiting;
  if (waiting?.reason === undefined || !REASONS.has(waiting.reason)) return NOTHING;
  const image = imageOf(container.spec.image ?? '');
  const text = problemOf(container, waiting.message ?? '');
  const common = base(container, waiting.reason, waiting.message ?? '');
  const judged = judge(facts, container, image, waiting.reason, text);
  return [
    {
      ...common,
      ...judged,
      ...(judged.id === 'image-unauthorized' ? withSecrets(facts, image, judged.says, common.evidence) : {}),
    },
  ];
});

/** Adds what is wrong with the pull secrets that would have given the right to pull. */
function withSecrets(
  facts: PodFacts,
  { registry }: Image,
  says: string,
  evidence: readonly Quote[],
): Partial<RankedFinding> {
  const said = saidOfSecrets(facts, registry);
  if (said === undefined) return {};
  const hint = said.says.startsWith(', and') ? / ?$/ : / \([^)]*\)$/;
  return { says: `${says.replace(hint, '')}${said.says}`, evidence: [...evidence, ...said.evidence] };
}

/** The error of the last pull: it ends the message of the back-off; older kubelets report it only in an event. */
function problemOf(container: ContainerFacts, message: string): string {
  if (/: Err\w+: |failed to|rpc error/i.test(message)) return message;
  return `${message} ${failure(container)?.message ?? ''}`;
}

function failure(container: ContainerFacts) {
  return eventsWith(container.events, 'Failed').find(({ message = '' }) => message.startsWith('Failed to pull'));
}

function base(container: ContainerFacts, reason: string, message: string) {
  const event = failure(container);
  const evidence: readonly Quote[] = [
    { source: 'field', path: `${container.path}.image`, value: container.spec.image ?? '' },
    { source: 'field', path: `${container.path}: state.waiting`, value: quotable(`${reason}: ${message}`) },
    ...(event === undefined || saysTheSame(event.message, message) ? [] : [quoteEvent(event)]),
  ];
  return {
    severity: 'critical' as const,
    rank: 90,
    topic: `end/${container.name}`,
    container: container.name,
    evidence,
  };
}

/** Whether the status repeats the event's message, which then is not quoted twice. */
function saysTheSame(event = '', status: string): boolean {
  const problem = event.replace(/^Failed to pull image "[^"]*": /, '');
  return problem !== '' && status.includes(problem);
}

/** Who asks its registry at each start does so for an image that its node has, too. */
function alwaysText({ id }: Kind, { spec }: ContainerFacts): string {
  return id === 'image-registry-unreachable' && spec.imagePullPolicy === 'Always'
    ? '; its imagePullPolicy Always asks the registry also for an image that its node has, which IfNotPresent does not'
    : '';
}

function judge(
  facts: PodFacts,
  container: ContainerFacts,
  image: Image,
  reason: string,
  text: string,
): Pick<RankedFinding, 'id' | 'says' | 'try'> {
  const who = `${title(container)} cannot start: `;
  const scheme = text.includes(`"http://${image.registry}/`) ? 'http' : 'https';
  const given: Given = { facts, container: container.name, image, scheme };
  if (reason === 'InvalidImageName') {
    return {
      id: 'image-bad-name',
      says: `${who}"${image.name}" is no name of an image${badName(text)}`,
      try: rename(given),
    };
  }
  if (reason === 'ErrImageNeverPull') {
    const says = `${who}its image ${image.name} is not on node ${facts.pod.spec?.nodeName ?? ''}, and imagePullPolicy Never forbids to pull it${onItsNode(facts, image)}`;
    return { id: 'image-never-pulled', says, try: change(given) };
  }
  if (reason === 'SignatureValidationFailed') {
    return {
      id: 'image-signature',
      says: `${who}the signature of image ${image.name} is not accepted`,
      try: change(given),
    };
  }
  // Names of images may contain any word, so they are removed before the reason is matched.
  const words = text.replaceAll(image.name, 'IMAGE').replace(/https?:\/\/\S+/g, 'URL');
  const kind = KINDS.find(({ pattern }) => pattern.test(words));
  if (kind === undefined) {
    const says = `${who}its image ${image.name} cannot be pulled${because(text)}`;
    return { id: 'image-pull', says, try: [facts.commands.kubectl('describe', `pod/${facts.name}`)] };
  }
  const why = kind.tells === true ? because(text) : '';
  const near = kind.id === 'image-not-found' || kind.id === 'image-unauthorized' ? onItsNode(facts, image) : '';
  return {
    id: kind.id,
    says: `${who}${kind.says(image)}${why}${near}${alwaysText(kind, container)}`,
    try: kind.try(given),
  };
}

/** "; its node has registry.example/shop:1.2", of nearly that name. */
function onItsNode({ evidence }: PodFacts, { name }: Image): string {
  const all = (evidence.node?.node?.status?.images ?? []).flatMap(({ names = [] }) => names ?? []);
  const tagged = all.filter((each) => !each.includes('@'));
  const plain = (each: string): string => each.replace(/^docker\.io\/(?:library\/)?/, '');
  const tag = (each: string): string => /:([^:/]+)$/.exec(each)?.[1] ?? 'latest';
  const own = withoutTag(plain(name));
  // Other names with other tags are other programs.
  const near = [...new Set(tagged.map(plain))].filter((each) => {
    if (each === plain(name)) return false;
    const repository = withoutTag(each);
    return repository === own || (tag(each) === tag(name) && nearNames(own, [repository], 6).length > 0);
  });
  return near.length === 0 ? '' : `; its node has ${listed(near)}`;
}

/** "repository name must be lowercase" */
function badName(text: string): string {
  const why = /invalid reference format: ([^:]{1,200})$/.exec(text)?.[1];
  return why === undefined ? '' : `: ${quotable(why)}`;
}

/** Splits the name as containerd does: without a dot, a port or "localhost" before the first slash the registry is Docker Hub. */
function imageOf(name: string): Image {
  const first = name.split('/')[0] ?? '';
  const isHost = name.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  return { name, registry: isHost ? first : 'docker.io' };
}

/** "host:5000/a/b:1" → "host:5000/a/b" */
function withoutTag(name: string): string {
  return name.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
}
