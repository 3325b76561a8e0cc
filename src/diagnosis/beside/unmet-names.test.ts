import { describe, expect, it } from 'vitest';
import { ago, configMap, evidence, pod } from '../evidence.fixtures.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import { unmetName } from './unmet-names.ts';

const of = (name: string, container: object): Pod =>
  pod({
    name,
    container,
    metadata: {
      uid: name,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: name, controller: true }],
    },
    status: { state: { running: { startedAt: ago(300) } } },
  });
const env = (variables: Readonly<Record<string, string>>, more: object = {}): object => ({
  env: Object.entries(variables).map(([name, value]) => ({ name, value })),
  ...more,
});
const SENDER = env({ AMQP_HOST: 'mq', MAIL_QUEUE: 'outbound' });
const WAITING = Array.from({ length: 4 }, (_, at) => `INFO mail ${at} is still PENDING`);
const sender = (container = SENDER, lines: readonly string[] = WAITING): PodEvidence =>
  evidence({ pod: of('front', container), logs: { web: { current: [...lines] } } });

describe('unmetName', () => {
  it('is a queue that nobody else names who uses the same broker', () => {
    const worker = of(
      'worker',
      env({ AMQP_URL: 'amqp://mq:5672' }, { command: ['celery', 'worker', '-Q', 'mails,default'] }),
    );
    expect(unmetName(sender(), [worker], [])).toBe(
      'its variable MAIL_QUEUE is "outbound", which no other pod here names; pod worker, which uses mq as well, has "mails" (-Q of its command)',
    );
  });
  it.each<[what: string, own: PodEvidence, other: Pod]>([
    ['somebody takes from it', sender(), of('worker', env({ AMQP_HOST: 'mq', SOURCE_QUEUE: 'outbound' }))],
    [
      'a script of another one names it',
      sender(),
      of(
        'worker',
        env({ AMQP_HOST: 'mq', RESULT_QUEUE: 'results' }, { command: ['sh', '-c', 'consume --from outbound'] }),
      ),
    ],
    [
      'the other one takes what this one sends elsewhere',
      sender(env({ AMQP_HOST: 'mq', MAIL_QUEUE: 'outbound', TASK_QUEUE: 'tasks' })),
      of('worker', env({ AMQP_HOST: 'mq', TASK_QUEUE: 'tasks' })),
    ],
    ['the other one uses another broker', sender(), of('worker', env({ AMQP_HOST: 'rabbit', TASK_QUEUE: 'tasks' }))],
    [
      'it waits for nothing',
      sender(SENDER, ['INFO mail 1 sent']),
      of('worker', env({ AMQP_HOST: 'mq', TASK_QUEUE: 'tasks' })),
    ],
  ])('is none: %s', (_what, own, other) => {
    expect(unmetName(own, [other], [])).toBeUndefined();
  });
  it('is told where its own code has the name of the other one as a default', () => {
    const own = evidence({
      pod: pod({
        ...of('front', SENDER),
        metadata: { uid: 'front' },
        container: SENDER,
        spec: { volumes: [{ name: 'code', configMap: { name: 'own' } }] },
      }),
      logs: { web: { current: [...WAITING] } },
    });
    const worker = of('worker', env({ AMQP_HOST: 'mq', TASK_QUEUE: 'mails' }));
    expect(unmetName(own, [worker], [configMap('own', { 'a.py': "os.environ.get('MAIL_QUEUE', 'mails')" })])).toMatch(
      /"outbound".*"mails"/,
    );
  });
  it('is one to which a file sends that a worker with a list of its own reads, too', () => {
    const routes = configMap('routes', {
      'app.py': 'app = Celery(broker="redis://mq:6379/0")\napp.conf.task_routes = {"reports.*": {"queue": "reports"}}',
    });
    const withRoutes = (name: string, container: object): Pod => {
      const { spec } = pod({
        container: { ...container, volumeMounts: [{ name: 'conf', mountPath: '/conf' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'routes' } }] },
      });
      return { ...of(name, container), ...(spec && { spec }) };
    };
    const api = evidence({
      pod: withRoutes('api', {}),
      configs: [routes],
      logs: { web: { current: Array.from({ length: 5 }, () => 'ERROR celery.exceptions.TimeoutError: timed out') } },
    });
    const worker = (list: string): Pod => withRoutes('worker', { command: ['celery', 'worker', '-Q', list] });
    expect(unmetName(api, [worker('default,mail')], [routes])).toBe(
      'a queue of its ConfigMap routes, key app.py is "reports", which no other pod here names; pod worker, which uses mq as well, has "default" (-Q of its command)',
    );
    const asker = of('uptime', { command: ['curl', 'http://api:8080/reports'] });
    expect(unmetName(api, [asker, worker('default,mail')], [routes])).toMatch(/"reports"/);
    expect(unmetName(api, [worker('default,reports')], [routes])).toBeUndefined();
    expect(unmetName(api, [withRoutes('worker', { command: ['celery', 'worker'] })], [routes])).toBeUndefined();
  });
  it('is looked for in mounted ConfigMaps', () => {
    const worker = pod({
      name: 'worker',
      metadata: { uid: 'w' },
      container: env({ AMQP_HOST: 'mq', TASK_QUEUE: 'tasks' }),
      spec: { volumes: [{ name: 'code', configMap: { name: 'code' } }] },
    });
    expect(unmetName(sender(), [worker], [configMap('code', { 'a.py': 'QUEUES = ["outbound"]' })])).toBeUndefined();
    expect(unmetName(sender(), [worker], [configMap('code', { 'a.py': 'QUEUES = []' })])).toMatch(/"tasks"/);
  });
});
