/**
 * Tests odd things that manifests of real projects contain, by what a real server or kubectl makes of them: spellings of YAML, empty and
 * null values, leftovers of generators, versions of APIs that are gone.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CompatServer, NEWEST, OLDEST } from './server.ts';

const server = new CompatServer();
beforeAll(() => server.start());
afterAll(() => server.remove());

const newest = server.kubectl(NEWEST);
let files = 0;
const file = (text: string): string => server.file(`odd-${++files}.yaml`, text);
const read = async (what: string): Promise<Record<string, unknown>> =>
  JSON.parse(await newest('get', ...what.split(' '), '-o', 'json')) as Record<string, unknown>;

const SPELLINGS: readonly (readonly [string, string, string])[] = [
  [
    'anchors, aliases and merge keys',
    `x-unused: &labels { app: a }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: anchors, labels: &l { app: a, tier: "1" } }
data:
  first: &text |
    two
    lines
  second: *text
  <<: { third: merged }
`,
    'data.first',
  ],
  [
    'documents of comments alone, and a marker of the end',
    `# Copyright
---
# nothing
---
---
apiVersion: v1
kind: ConfigMap
metadata: { name: comments }
data: { first: a }
...
`,
    'data.first',
  ],
  [
    'line ends of Windows and a byte order mark',
    `\u{feff}apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: windows\r\ndata:\r\n  first: |\r\n    one\r\n    two\r\n`,
    'data.first',
  ],
  [
    'octal numbers, quoted booleans, and texts that look like others',
    `apiVersion: v1
kind: ConfigMap
metadata: { name: scalars }
data: { first: "yes", octal: "0644", nothing: "null", date: "2026-01-01", number: "1e3", empty: "" }
`,
    'data.first',
  ],
  [
    'folded texts, trailing spaces, and characters of all kinds',
    `apiVersion: v1
kind: ConfigMap
metadata: { name: texts }
data:
  first: >-
    folded
    text
  emoji: "\\U0001F600 ü \\u0000"
  tabs: "a\\tb"   # a comment
`,
    'data.first',
  ],
];

const names = ['anchors', 'comments', 'windows', 'scalars', 'texts'];

describe('spellings of YAML', () => {
  it.each(SPELLINGS.slice(1).map((row, at) => [row[0], row[1], names[at + 1] ?? ''] as const))(
    '%s',
    async (_, text, name) => {
      const path = file(text);
      expect(await newest('apply', '-f', path)).toBe(`configmap/${name} created\n`);
      expect(await newest('apply', '-f', path)).toBe(`configmap/${name} unchanged\n`);
      await newest('apply', '--server-side', '-f', path);
      const { resourceVersion } = (await read(`configmap ${name}`))['metadata'] as { resourceVersion: string };
      await newest('apply', '--server-side', '-f', path);
      expect((await read(`configmap ${name}`))['metadata']).toMatchObject({ resourceVersion });
    },
  );

  it('anchors and merge keys', async () => {
    const path = file(SPELLINGS[0]?.[1].split('---\n')[1] ?? '');
    await newest('apply', '-f', path);
    expect((await read('configmap anchors'))['data']).toEqual({
      first: 'two\nlines\n',
      second: 'two\nlines\n',
      third: 'merged',
    });
  });

  it('the same body sent as YAML, without kubectl', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const text = SPELLINGS[0]?.[1].split('---\n')[1]?.replace('name: anchors', 'name: sent') ?? '';
    const answer = await server.api.send('POST', path, text, 'application/yaml');
    expect(answer.code).toBe(201);
    expect((await read('configmap sent'))['data']).toEqual({
      first: 'two\nlines\n',
      second: 'two\nlines\n',
      third: 'merged',
    });
  });

  it('duplicate keys are refused by the server, as in strict decoding', async () => {
    const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}`;
    const path = '/api/v1/namespaces/default/configmaps?fieldValidation=';
    const strict = await server.api.send('POST', `${path}Strict`, text, 'application/json');
    expect([strict.code, (strict.body as { message: string }).message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
    ]);
    expect((await server.api.send('POST', `${path}Ignore`, text, 'application/json')).code).toBe(201);
    expect((await read('configmap twice'))['data']).toEqual({ a: '2' });
  });
});

describe('lists', () => {
  it('a List of several kinds, and a list of one', async () => {
    const map = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'in-list' }, stringData: { a: 'b' } };
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: {}, items: [map('l-1'), secret] });
    expect(await newest('apply', '-f', file(list))).toBe('configmap/l-1 created\nsecret/in-list created\n');
    const typed = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMapList', items: [map('l-2'), map('l-3')] });
    expect(await newest('apply', '-f', file(typed))).toBe('configmap/l-2 created\nconfigmap/l-3 created\n');
    expect(((await read('secret in-list'))['data'] as { a: string }).a).toBe('Yg==');
  });

  it('a name for several is made by create, and refused by apply', async () => {
    const path = file('apiVersion: v1\nkind: ConfigMap\nmetadata: { generateName: made- }\n');
    expect(await newest('create', '-f', path)).toMatch(/^configmap\/made-[a-z0-9]{5} created\n$/);
    const { stderr } = await newest.ask(['apply', '-f', path]);
    expect(stderr).toContain('cannot use generate name with apply');
  });
});

describe('leftovers and empty values', () => {
  it.each([
    ['client', []],
    ['server', ['--server-side']],
  ] as const)('nulls, empty structures and status of a generator, applied on the %s', async (where, flags) => {
    const name = `leftovers-${where}`;
    const path = file(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  creationTimestamp: null
  labels: { empty: "", app: a }
  annotations: null
  ownerReferences: []
spec:
  replicas: 0
  strategy: {}
  selector: { matchLabels: { app: a, empty: "" } }
  template:
    metadata:
      creationTimestamp: null
      labels: { app: a, empty: "" }
      annotations: {}
    spec:
      nodeSelector: {}
      affinity: null
      tolerations: []
      volumes: null
      securityContext: {}
      imagePullSecrets: []
      containers:
        - name: c
          image: none.invalid/none
          resources: {}
          env: []
          args: null
          ports: []
          securityContext: {}
          livenessProbe: null
status: {}
`);
    await newest('apply', ...flags, '-f', path);
    const made = await read(`deployment ${name}`);
    const spec = made['spec'] as { template: { metadata: object; spec: object }; strategy: object };
    expect(spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } });
    expect(spec.template.metadata).toEqual({ labels: { app: 'a', empty: '' } });
    // What a real server keeps of them, by its golden answers.
    expect(spec.template.spec).toEqual({
      containers: [
        {
          name: 'c',
          image: 'none.invalid/none',
          imagePullPolicy: 'Always',
          resources: {},
          securityContext: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
    await newest('apply', ...flags, '-f', path);
    expect(((await read(`deployment ${name}`))['metadata'] as { generation: number }).generation).toBe(1);
    expect((await newest.ask(['diff', ...flags, '-f', path])).code).toBeLessThan(2);
  });

  it('a definition with an empty status and versions of an older generator', async () => {
    const path = file(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  creationTimestamp: null
  name: odds.odd.example.com
spec:
  group: odd.example.com
  names: { kind: Odd, listKind: OddList, plural: odds, singular: odd }
  scope: Namespaced
  preserveUnknownFields: false
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          x-kubernetes-preserve-unknown-fields: true
          properties:
            spec: { type: object, x-kubernetes-preserve-unknown-fields: true }
            port: { x-kubernetes-int-or-string: true }
            maybe: { type: string, nullable: true }
            size: { type: string, enum: [small, "", large], default: small }
status:
  acceptedNames: { kind: "", plural: "" }
  conditions: null
  storedVersions: null
`);
    await newest('apply', '-f', path);
    await newest('wait', '--for=condition=Established', '--timeout=30s', 'crd/odds.odd.example.com');
    const { status } = (await read('crd odds.odd.example.com')) as { status: { storedVersions: string[] } };
    expect(status.storedVersions).toEqual(['v1']);
    // kubectl asks for the status each time, which the server resets each time.
    expect(await newest('apply', '-f', path)).toContain(' configured');
    const object = file(`apiVersion: odd.example.com/v1
kind: Odd
metadata: { name: a }
spec: { anything: { goes: [1, "two", null, { x: null }] }, "": odd, "a.b/c": 1.50 }
port: 80
maybe: null
beyond: { the: schema }
`);
    await newest('create', '-f', object);
    const { metadata, ...rest } = await read('odd a');
    expect(metadata).toMatchObject({ generation: 1 });
    expect(rest).toEqual({
      apiVersion: 'odd.example.com/v1',
      kind: 'Odd',
      spec: { anything: { goes: [1, 'two', null, { x: null }] }, '': 'odd', 'a.b/c': 1.5 },
      port: 80,
      maybe: null,
      beyond: { the: 'schema' },
      size: 'small',
    });
    await newest('delete', '-f', path);
  });
});

describe('what is gone, and what is mistyped', () => {
  it.each([
    ['extensions/v1beta1', 'Ingress'],
    ['policy/v1beta1', 'PodDisruptionBudget'],
    ['policy/v1beta1', 'PodSecurityPolicy'],
    ['apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition'],
    ['batch/v1beta1', 'CronJob'],
    ['autoscaling/v2beta2', 'HorizontalPodAutoscaler'],
    ['rbac.authorization.k8s.io/v1beta1', 'ClusterRole'],
    ['flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema'],
    ['example.com/v1', 'Unknown'],
  ])('%s %s has no match', async (apiVersion, kind) => {
    const path = file(`apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: gone }\n`);
    const { code, stderr } = await newest.ask(['apply', '-f', path]);
    expect([code, stderr]).toEqual([
      1,
      `error: resource mapping not found for name: "gone" namespace: "" from "${path}": no matches for kind "${kind}" in version "${apiVersion}"\nensure CRDs are installed first\n`,
    ]);
    const old = await server.kubectl(OLDEST).ask(['apply', '-f', path]);
    expect(old.stderr).toContain(`no matches for kind "${kind}" in version "${apiVersion}"`);
  });

  it('unknown fields are named by their paths, all at once', async () => {
    const path = file(`apiVersion: v1
kind: Service
metadata: { name: mistyped, label: {} }
spec: { port: 80, ports: [{ port: 80, targetport: 8080 }] }
`);
    const { code, stderr } = await newest.ask(['apply', '-f', path]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'Service in version "v1" cannot be handled as a Service: strict decoding error: unknown field "metadata.label", unknown field "spec.port", unknown field "spec.ports[0].targetport"',
    );
    expect(await newest('apply', '--validate=warn', '-f', path)).toBe('service/mistyped created\n');
  });

  it('values of a wrong type are named with what was expected', async () => {
    const wrong = (data: string): string =>
      file(`apiVersion: v1\nkind: ConfigMap\nmetadata: { name: wrong }\ndata: ${data}\n`);
    const { stderr } = await newest.ask(['apply', '-f', wrong('{ port: 80 }')]);
    expect(stderr).toContain(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    );
    const boolean = await newest.ask(['apply', '-f', wrong('{ on: yes }')]);
    expect(boolean.stderr).toContain('cannot unmarshal bool into Go struct field ConfigMap.data of type string');
  });
});
