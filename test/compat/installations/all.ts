/**
 * Installations in the shapes and sizes of well-known projects' releases. Numbers of objects, sizes of definitions and the
 * kinds are those of real releases; every name and word is made here.
 */
import { type DefinitionSize, definition } from './definitions.ts';
import type { Installation, Manifest } from './manifest.ts';
import * as parts from './parts.ts';
import type { Release } from './parts.ts';

/** What a release is made of. */
interface Recipe {
  readonly name: string;
  readonly group?: string;
  readonly definitions?: readonly DefinitionSize[];
  readonly rest: (release: Release) => readonly Manifest[];
}

/** The annotation that an apply on the client writes has this many bytes at most. */
const ANNOTATION_LIMIT_BYTES = 262_144;

function installation({ name, group = `${name}.example.com`, definitions = [], rest }: Recipe): Installation {
  const release = { name, namespace: name };
  const made = definitions.map((size) => definition(group, name, size));
  const isLong = made.some((each) => JSON.stringify(each.definition).length > ANNOTATION_LIMIT_BYTES);
  return {
    name,
    objects: [parts.namespace(release), ...made.map((each) => each.definition), ...rest(release)],
    custom: made.map((each) => each.object),
    ...(isLong && { isServerSideOnly: true }),
  };
}

const sizes = (text: string): readonly DefinitionSize[] =>
  text.split(' ').map((word) => {
    const [kind = '', kilobytes = '', scope] = word.split(':');
    return { kind, kilobytes: Number(kilobytes), ...(scope === 'Cluster' && { scope: 'Cluster' as const }) };
  });

const group = (name: string): string => `${name}.example.com`;

const RECIPES: readonly Recipe[] = [
  {
    // Issues certificates: three controllers, six kinds, two of them large, roles added to the built-in ones.
    name: 'certificates',
    definitions: sizes(
      'Certificate:24 CertificateRequest:11 Challenge:150 Order:9 Issuer:170 ClusterIssuer:170:Cluster',
    ),
    rest: (release) => [
      ...['controller', 'webhook', 'injector'].flatMap((each) =>
        parts.controller(release, each, [group('certificates')]),
      ),
      ...(['view', 'edit', 'admin'] as const).map((to) => parts.aggregatedRole(release, to, group('certificates'))),
      ...parts.jobs(release, 'controller'),
    ],
  },
  {
    // Watches with definitions of which four do not fit into an annotation.
    name: 'metrics-operator',
    definitions: [
      ...sizes('AlertmanagerConfig:497 Alertmanager:400 Metrics:620 MetricsAgent:480 PodMonitor:62 Probe:59 Rule:9'),
      { kind: 'Ruler', kilobytes: 420, hasScale: true },
      ...sizes('ScrapeConfig:640 ServiceMonitor:60'),
    ],
    rest: (release) => [
      ...parts.controller(release, 'operator', [group('metrics-operator')]),
      ...parts.nodeProgram(release, 'exporter'),
      ...parts.dashboards(release, 28, 40),
    ],
  },
  {
    name: 'rollouts',
    definitions: [...sizes('Application:190 AppProject:15'), { kind: 'ApplicationSet', kilobytes: 950, wordiness: 0 }],
    rest: (release) => [
      ...['server', 'repo-server', 'notifications'].flatMap((each) =>
        parts.controller(release, each, [group('rollouts')]),
      ),
      ...parts.database(release, 'cache'),
      ...parts.networkPolicies(release, 'server'),
    ],
  },
  {
    name: 'workflows',
    definitions: [
      ...['Workflow', 'CronWorkflow', 'WorkflowTemplate', 'TaskSet'].map((kind) => ({
        kind,
        kilobytes: 4,
        wordiness: 0,
      })),
      ...sizes('ClusterWorkflowTemplate:4:Cluster'),
    ],
    rest: (release) => [...parts.controller(release, 'controller', [group('workflows')]), ...parts.limits(release)],
  },
  {
    name: 'sources',
    definitions: [
      { kind: 'GitSource', kilobytes: 48, versions: ['v1beta1', 'v1beta2', 'v1'] },
      { kind: 'Release', kilobytes: 130, versions: ['v2beta1', 'v2beta2', 'v2'] },
      ...sizes(
        'Bucket:40 ChartSource:32 Chart:34 Overlay:60 ImagePolicy:18 ImageSource:36 Receiver:20 Provider:24 Alert:20',
      ),
    ],
    rest: (release) => [
      ...['source', 'overlay', 'release', 'notification', 'image'].flatMap((each) =>
        parts.controller(release, each, [group('sources')]),
      ),
      ...parts.networkPolicies(release, 'source'),
      ...parts.limits(release),
    ],
  },
  {
    name: 'entrance',
    rest: (release) => [
      ...parts.controller(release, 'controller'),
      ...parts.ingress(release, 'controller'),
      parts.autoscaler(release, 'controller'),
      ...parts.jobs(release, 'controller'),
      ...parts.networkPolicies(release, 'controller'),
    ],
  },
  {
    name: 'routes',
    definitions: sizes(
      'RouteClass:16:Cluster Gateway:90 HttpRoute:300 GrpcRoute:180 TcpRoute:60 TlsRoute:60 UdpRoute:60 Grant:10 Middleware:50',
    ),
    rest: (release) => [...parts.controller(release, 'proxy', [group('routes')]), parts.autoscaler(release, 'proxy')],
  },
  { name: 'usage', rest: (release) => parts.controller(release, 'server') },
  {
    name: 'names',
    definitions: sizes('NameRecord:7'),
    rest: (release) => parts.controller(release, 'controller', [group('names')]),
  },
  {
    name: 'secrets-from-outside',
    definitions: [
      ...sizes('ExternalSecret:60 SecretStore:260 ClusterSecretStore:260:Cluster PushSecret:30'),
      ...['Password', 'Token', 'Key', 'Webhook'].map((kind) => ({ kind, kilobytes: 14, scope: 'Cluster' as const })),
    ],
    rest: (release) => parts.controller(release, 'controller', [group('secrets-from-outside')]),
  },
  {
    name: 'sealing',
    definitions: [{ kind: 'Sealed', kilobytes: 5 }],
    rest: (release) => [...parts.controller(release, 'controller', [group('sealing')])],
  },
  {
    name: 'block-volumes',
    definitions: sizes('Snapshot:12 SnapshotClass:6:Cluster SnapshotContent:14:Cluster'),
    rest: (release) => [
      ...parts.volumeDriver(release),
      ...parts.controller(release, 'controller', [group('block-volumes')]),
      ...parts.nodeProgram(release, 'node'),
    ],
  },
  {
    name: 'databases',
    definitions: [
      { kind: 'Cluster', kilobytes: 320, hasScale: true },
      ...sizes('Backup:16 ScheduledBackup:8 Pooler:480 Publication:8 Subscription:8 ImageCatalog:5'),
    ],
    rest: (release) => [
      ...parts.controller(release, 'manager', [group('databases')]),
      ...parts.database(release, 'example'),
    ],
  },
  {
    name: 'queues',
    definitions: [...sizes('Broker:450 BrokerNodes:120 Connect:220 Mirror:230 User:20 Topic:8 Rebalance:10')],
    rest: (release) => [
      ...parts.controller(release, 'operator', [group('queues')]),
      ...parts.database(release, 'broker'),
    ],
  },
  {
    name: 'scaling',
    definitions: sizes(
      'ScaledObject:18 ScaledJob:480 TriggerAuthentication:14 ClusterTriggerAuthentication:14:Cluster',
    ),
    rest: (release) => [...parts.controller(release, 'operator', [group('scaling')]), ...parts.limits(release)],
  },
  {
    name: 'application',
    rest: (release) => [
      ...parts.controller(release, 'web'),
      ...parts.database(release, 'store'),
      ...parts.ingress(release, 'web'),
      ...parts.networkPolicies(release, 'web'),
      ...parts.jobs(release, 'web'),
      ...parts.limits(release),
      parts.autoscaler(release, 'web'),
    ],
  },
];

export const INSTALLATIONS: readonly Installation[] = RECIPES.map(installation);
