import { describe, expect, it } from 'vitest';
import { printFieldError } from '../field-error.ts';
import { resolveNotification } from './resolve-notification.ts';
import { validateNotification } from './validate-notification.ts';

const url = 'https://hooks.example/x';
const target = { type: 'Slack', url } as const;
const problems = (spec: object | undefined, clusterWide = false): readonly string[] =>
  validateNotification(spec === undefined ? {} : { spec }, clusterWide).map(printFieldError);

describe('what is wrong with a notification', () => {
  it.each<[string, object | undefined, readonly string[]]>([
    ['nothing', { target }, []],
    ['no spec', undefined, ['spec: Required value']],
    ['no target', {}, ['spec.target: Required value']],
    ['no address', { target: { type: 'Slack' } }, ['spec.target.url: Required value: or urlFrom']],
    [
      'two addresses',
      { target: { ...target, urlFrom: { secretKeyRef: { key: 'a' } } } },
      ['spec.target.urlFrom: Forbidden: only without url'],
    ],
    [
      'an unknown type',
      { target: { ...target, type: 'Teams' } },
      ['spec.target.type: Unsupported value: "Teams": supported values: "Generic", "Slack", "Ntfy", "Alertmanager"'],
    ],
    [
      'another scheme',
      { target: { ...target, url: 'file:///etc/passwd' } },
      ['spec.target.url: Invalid value: "file:///etc/passwd": must begin with https:// or http://, and name a host'],
    ],
    [
      'a user in the address',
      { target: { ...target, url: 'https://a:b@c/' } },
      [
        'spec.target.url: Invalid value: "https://a:b@c/": must not have user or password: headers with valueFrom are for that',
      ],
    ],
    [
      'a fragment',
      { target: { ...target, url: `${url}#x` } },
      [`spec.target.url: Invalid value: "${url}#x": must not have a fragment`],
    ],
    [
      'headers of the sender, and none',
      { target: { ...target, headers: [{ name: 'Host', value: 'x' }, { name: 'a b', value: 'x' }, { name: 'c' }] } },
      [
        'spec.target.headers[0].name: Invalid value: "Host": is set by the sender',
        'spec.target.headers[1].name: Invalid value: "a b": must be the name of an HTTP header',
        'spec.target.headers[2].value: Required value: or valueFrom',
      ],
    ],
    [
      'a header of two lines',
      { target: { ...target, headers: [{ name: 'a', value: 'x\r\nb: c' }] } },
      ['spec.target.headers[0].value: Invalid value: "x\\r\\nb: c": must be one line of printable ASCII characters'],
    ],
    [
      'a Secret of another namespace',
      { target: { type: 'Slack', urlFrom: { secretKeyRef: { key: 'a', namespace: 'kube-system' } } } },
      ['spec.target.urlFrom.secretKeyRef.namespace: Forbidden: a Notification reads Secrets of its own namespace'],
    ],
    [
      'times out of bounds',
      { target, damping: '25h', repeatAfter: '1s', groupWait: 'soon' },
      [
        'spec.groupWait: Invalid value: "soon": must be between 0s and 1h0m0s',
        'spec.repeatAfter: Invalid value: "1s": must be between 1m0s and 720h0m0s',
        'spec.damping: Invalid value: "25h": must be between 0s and 24h0m0s',
      ],
    ],
    [
      'no triggers',
      { target, triggers: [] },
      ['spec.triggers: Required value: at least one; leave the field out for all'],
    ],
    [
      'a header twice',
      {
        target: {
          ...target,
          headers: [
            { name: 'X-A', value: 'a' },
            { name: 'x-a', value: 'b' },
          ],
        },
      },
      ['spec.target.headers[1].name: Duplicate value: "x-a"'],
    ],
    [
      'a bad authority',
      { target: { ...target, caBundle: 'AAAA' } },
      [expect.stringContaining('spec.target.caBundle: Invalid value: "<bytes>"') as string],
    ],
    [
      'a name that drives a terminal',
      { target, cluster: 'a\u001bb' },
      [expect.stringContaining('spec.cluster: Invalid value') as string],
    ],
  ])('%s', (_name, spec, wanted) => expect(problems(spec)).toEqual(wanted));

  it('of the cluster: a Secret needs a namespace', () => {
    const spec = { target: { type: 'Slack', urlFrom: { secretKeyRef: { key: 'a' } } } };
    expect(problems(spec, true)).toEqual(['spec.target.urlFrom.secretKeyRef.namespace: Required value']);
    expect(problems({ target, namespaceSelector: { matchLabels: { 'a b': 'c' } } }, true)).not.toEqual([]);
  });
});

it('defaults are filled in', () => {
  const { triggers, ...rest } = resolveNotification(
    { target: { type: 'Slack', urlFrom: { secretKeyRef: { key: 'u' } } } },
    'shop',
  );
  expect([...triggers]).toEqual(['GaveUp', 'NeedsHuman', 'NodeLost', 'DataAtRisk', 'Recovered']);
  expect(rest).toEqual({
    selector: [],
    patienceMs: 600_000,
    groupWaitMs: 10_000,
    dampingMs: 60_000,
    target: {
      type: 'Slack',
      url: { secret: { namespace: 'shop', name: 'mendlet-notifications', key: 'u' } },
      headers: [],
    },
  });
  expect(resolveNotification({ target: { type: 'Alertmanager', url } }, 'shop').repeatAfterMs).toBe(300_000);
});
