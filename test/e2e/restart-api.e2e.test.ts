/**
 * Tests restarts and healing policies as objects, over the network: kubectl finds, explains and prints them, mistakes get helpful
 * messages, and only users with the right may request restarts. Another suite tests their effect on the node.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, type CommandResult, kubectl120, mainContainer, Mendlet } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 171 });
const pods = '/api/v1/namespaces/default/pods';

beforeAll(async () => {
  await mendlet.up();
  await mendlet.create(
    busyboxPod('web', 'exec sleep 3600'),
    busyboxPod('done', 'exit 0', { spec: { restartPolicy: 'Never' } }),
    busyboxPod('homeless', 'exit 0', { spec: { nodeSelector: { no: 'where' } } }),
  );
  await Promise.all([
    mendlet.untilPod('web', 'running', (pod) => mainContainer(pod)?.state.running !== undefined),
    mendlet.untilPod('done', 'Succeeded', (pod) => pod.status.phase === 'Succeeded'),
  ]);
});
afterAll(() => mendlet.down());

const post = (name: string, body: object | string, ...flags: string[]): Promise<CommandResult> =>
  mendlet.tryKubectl(
    ['create', '--raw', `${pods}/${name}/restart`, '-f', '-', ...flags],
    typeof body === 'string' ? body : JSON.stringify(body),
  );

const policy = (name: string, spec: object): object => ({
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'HealingPolicy',
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
});

describe('kubectl knows both kinds', () => {
  it('by name, by short name and in all its words', async () => {
    const listed = await mendlet.kubectl(['api-resources', '--api-group=mendlet.dev', '--no-headers']);
    expect(listed.split('\n').map((line) => line.split(/\s+/).slice(0, 5).join(' '))).toEqual(
      expect.arrayContaining([
        'healingpolicies hp mendlet.dev/v1alpha1 true HealingPolicy',
        'podrestarts pr mendlet.dev/v1alpha1 true PodRestart',
      ]),
    );
    expect(await mendlet.kubectl(['explain', 'podrestart.spec'])).toMatch(/scope\t<string>[\s\S]*What is restarted/);
    expect(await mendlet.kubectl(['explain', 'hp.spec.rules.action'])).toMatch(/ENUM:\s+BackOff\s+Escalate\s+Stop/);
    const definitions = ['crd/healingpolicies.mendlet.dev', 'crd/podrestarts.mendlet.dev'];
    await mendlet.kubectl(['wait', ...definitions, '--for=condition=Established', '--timeout=60s']);
    const deletion = await mendlet.tryKubectl(['delete', ...definitions]);
    expect(deletion.stderr.match(/this definition belongs to the server/g)).toHaveLength(2);
    const edit = ['--type=json', '-p', '[{"op":"remove","path":"/spec/names/shortNames"}]'];
    const refused = await mendlet.tryKubectl(['patch', definitions[0] ?? '', ...edit]);
    expect(refused.stderr).toContain('spec: Forbidden: this definition belongs to the server');
    const old = await mendlet.tryKubectl(['explain', 'hp.spec.rungs'], undefined, kubectl120);
    expect(old.stdout).toContain('attempts');
  });

  it('applies, compares and prints policies', async () => {
    const rungs = [
      { scope: 'container', attempts: 2, window: '10m' },
      { scope: 'pod' },
      { scope: 'node', attempts: 1 },
    ];
    const text = JSON.stringify(policy('shop', { rungs, maxPodRestarts: 5 }));
    await mendlet.kubectl(['apply', '-f', '-'], text);
    expect(await mendlet.kubectl(['apply', '-f', '-'], text)).toContain('unchanged');
    await mendlet.kubectl(['patch', 'hp', 'shop', '--type=merge', '-p', '{"spec":{"maxPodRestarts":6}}']);
    expect(await mendlet.kubectl(['get', 'hp', 'shop', '--no-headers'])).toMatch(
      /^shop\s+app=shop\s+container×2 → pod×3 → node×1\s+6\s+\d+\s+\d+s/,
    );
    expect((await mendlet.tryKubectl(['diff', '-f', '-'], text)).stdout).toContain('maxPodRestarts: 5');
  });

  it.each<[string, object, string]>([
    ['a field that nobody knows', { rung: [] }, 'unknown field "spec.rung"'],
    [
      'a type that is none',
      { rungs: [{ scope: 'pod', attempts: 'x' }] },
      'spec.rungs[0].attempts in body must be of type integer',
    ],
    [
      'a hot loop',
      { backOff: { initial: '0s' } },
      'spec.backOff.initial: Invalid value: "string": must be between 100ms and 1h',
    ],
    [
      'a ladder downwards',
      { rungs: [{ scope: 'pod' }, { scope: 'container' }] },
      'rungs must be in the order container, containers, pod, node',
    ],
  ])('refuses %s', async (_, spec, problem) => {
    const { code, stderr } = await mendlet.tryKubectl(['create', '-f', '-'], JSON.stringify(policy('bad', spec)));
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
  });
});

describe('a restart', () => {
  it('is made by a POST without a word, and says whose it is', async () => {
    const { stdout } = await post('web', '');
    const made = JSON.parse(stdout) as { metadata: { name: string }; spec: { requestedBy: string } };
    expect(made).toMatchObject({
      kind: 'PodRestart',
      spec: { podName: 'web', scope: 'pod', requestedBy: 'kubernetes-admin' },
    });
    const { name } = made.metadata;
    const listed = await mendlet.kubectl(['get', 'pr', '--field-selector=spec.podName=web', '--no-headers']);
    expect(listed).toMatch(new RegExp(`^${name}\\s+web\\s+pod\\s+\\w+.*kubernetes-admin`));
    await mendlet.kubectl(['wait', `podrestart/${name}`, '--for=jsonpath={.status.phase}=Succeeded', '--timeout=300s']);
    const refused = await mendlet.tryKubectl([
      'patch',
      'pr',
      name,
      '--type=merge',
      '-p',
      '{"spec":{"podName":"done"}}',
    ]);
    expect(refused.stderr).toContain('spec.podName: Invalid value: "object": field is immutable');
    await mendlet.kubectl(['patch', 'pr', name, '--type=merge', '-p', '{"spec":{"ttlSecondsAfterFinished":0}}']);
  });

  it.each<[string, object, string]>([
    ['nobody', {}, '(NotFound): pods "nobody" not found'],
    [
      'done',
      {},
      '(Conflict): Operation cannot be fulfilled on pods "done": pod "done" has finished (Succeeded) and is not run again',
    ],
    ['homeless', {}, 'pod "homeless" has no node yet (phase Pending)'],
    ['web', { spec: { podUID: 'old' } }, 'the UID in the precondition (old) does not match'],
    [
      'web',
      { spec: { scope: 'container', container: 'db' } },
      'spec.container: Unsupported value: "db": supported values: "main"',
    ],
    [
      'web',
      { spec: { scope: 'containers', emptyDirs: ['*'] } },
      'spec.emptyDirs: Forbidden: only scope "pod" may empty volumes',
    ],
    ['web', { spec: { podName: 'done' } }, 'does not match the name on the URL (web)'],
  ])('of %s with %j is refused', async (name, body, problem) => {
    const { code, stderr } = await post(name, body);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
  });

  it('can be granted alone', async () => {
    await mendlet.kubectl(['create', 'rolebinding', 'jo', '--clusterrole=mendlet:pod-restarter', '--user=jo']);
    const can = async (...question: string[]): Promise<string> =>
      (await mendlet.tryKubectl(['auth', 'can-i', ...question, '--as=jo'])).stdout.trim();
    expect(await can('create', 'pods', '--subresource=restart')).toBe('yes');
    expect(await can('create', 'podrestarts.mendlet.dev')).toBe('yes');
    expect(await can('delete', 'pods')).toBe('no');
    expect(await can('get', 'pods', '--subresource=history')).toBe('no');
    expect(await can('create', 'healingpolicies.mendlet.dev')).toBe('no');
    const made = await mendlet.tryKubectl(
      ['create', '--raw', `${pods}/web/restart?dryRun=All`, '-f', '-', '--as=jo'],
      '{"spec":{"requestedBy":"kubernetes-admin"}}',
    );
    expect(made.stdout).toContain('"requestedBy":"jo"');
    expect((await post('web', {}, '--as=eve')).stderr).toContain('cannot create resource "pods/restart"');
  });
});

describe('the history of a pod', () => {
  it.each<[string, string]>([
    ['nobody/history', '(NotFound): pods "nobody" not found'],
    ['web/history?death=x', 'invalid value of death: "x": must be the number of a death, from 1'],
  ])('%s is refused', async (path, problem) => {
    expect((await mendlet.tryKubectl(['get', '--raw', `${pods}/${path}`])).stderr).toContain(problem);
  });

  it('is empty of one that never ran', async () => {
    const list = JSON.parse(await mendlet.kubectl(['get', '--raw', `${pods}/homeless/history`])) as object;
    expect(list).toEqual({ apiVersion: 'mendlet.dev/v1alpha1', kind: 'PodHistoryList', items: [] });
  });
});
