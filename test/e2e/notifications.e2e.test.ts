/** Tests notifications with a real ladder that ends on real containers, and a real server on this machine as their target. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { itInWhole } from './extent.ts';
import { busyboxPod, type CommandResult, Mendlet, type ObservedPod, outFolder, root, run, until } from './harness.ts';

const bundle = join(root, 'dist/mendlet.js');
const mendlet = new Mendlet({
  podNetwork: 157,
  flags: ['--service-cidr', '10.122.0.0/16', '--notification-allow', '127.0.0.1/32'],
});

interface Got {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly test?: boolean;
}

/** What the target took, in order. */
let got: Got[] = [];
/** Ids of what it was asked, also when it did not take it. */
let asked: string[] = [];
let answer: (response: ServerResponse) => void = accept;
let target: Server;
let url = '';

function accept(response: ServerResponse): void {
  response.writeHead(200).end('thank you');
}

beforeAll(async () => {
  target = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const message = JSON.parse(body) as Got;
      asked.push(message.id);
      if (answer === accept) got.push(message);
      answer(response);
    });
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
  await mendlet.up();
});
afterAll(async () => {
  target.closeAllConnections();
  target.close();
  await mendlet.down();
});

const cli = (...args: string[]): Promise<CommandResult> =>
  run(process.execPath, [bundle, ...args, '--kubeconfig', mendlet.kubeconfig]);

const notification = (name: string, pod: string): object => ({
  apiVersion: 'mendlet.dev/v1',
  kind: 'Notification',
  metadata: { name },
  spec: {
    selector: { matchLabels: { pod } },
    triggers: ['GaveUp', 'Recovered'],
    target: { type: 'Generic', url },
    groupWait: '0s',
    damping: '1s',
  },
});

/** A pod that gives up after one restart, and runs once it is told that all is well. */
function quitter(name: string): { readonly pod: object; readonly heal: () => void } {
  const out = outFolder(mendlet, name);
  const policy = { rungs: [{ scope: 'container', attempts: 1 }], backOff: { initial: '100ms', cap: '100ms' } };
  const pod = busyboxPod(name, '[ -f /out/well ] && exec sleep 3600; exit 7', {
    spec: out.spec,
    container: out.mount,
    metadata: { labels: { pod: name }, annotations: { 'mendlet.dev/healing-policy': JSON.stringify(policy) } },
  });
  return { pod, heal: () => writeFileSync(join(out.path, 'well'), '') };
}

const isStopped = ({ status }: ObservedPod): boolean =>
  status.conditions?.some((each) => each.type === 'mendlet.dev/HealingStopped' && each.status === 'True') === true;

const titlesOf = (pod: string): readonly string[] =>
  got.filter(({ title }) => title.includes(`/${pod}`)).map(({ title }) => title);
const untilTitles = (pod: string, count: number): Promise<readonly string[]> =>
  until<readonly string[]>(`${count} messages about ${pod}`, async () => {
    const titles = titlesOf(pod);
    return titles.length >= count ? { value: titles } : { last: JSON.stringify(asked) };
  });

it('a pod that gives up is told once, its recovery once, and a trial prints the answer', async () => {
  const { pod, heal } = quitter('loser');
  await mendlet.create(notification('team', 'loser'), pod);
  const trial = await cli('notify', 'test', 'team');
  expect(trial).toMatchObject({
    code: 0,
    stdout: 'Notification default/team: the target answered 200 OK: thank you\n',
  });
  expect(got.map(({ test }) => test)).toContain(true);
  await untilTitles('loser', 1);
  const [told] = got.filter(({ title }) => title.includes('/loser'));
  expect(told?.text.split('\n')).toEqual([
    '✖ pod default/loser: healing gave up',
    'Why: container main exited with 7; tried restarts: 1 of the container. To go on: mendlet restart pod/loser --force',
    expect.stringMatching(/^Since: 20\S+Z, \d\S* ago$/),
    'Next: Nothing more is tried until somebody restarts it, or changes its image, a ConfigMap or a Secret of it.',
    'Look: mendlet why pod/loser -n default · kubectl describe pod/loser -n default · mendlet restart pod/loser -n default --force',
  ]);
  expect(await mendlet.kubectl(['get', 'notifications'])).toMatch(
    /^NAME +TYPE +DELIVERED +OPEN +SENT +FAILED +LAST +AGE\nteam +Generic +True +1 +2 +0 +\d+s +\d+s\n$/,
  );
  const explained = await mendlet.kubectl(['explain', 'notification.spec.damping']);
  expect(explained.replaceAll(/\s+/g, ' ')).toContain('what flaps is told once');
  heal();
  expect(await cli('restart', 'pod/loser', '--force')).toMatchObject({ code: 0 });
  const titles = await untilTitles('loser', 2);
  expect(titles).toEqual([
    'pod default/loser: healing gave up',
    expect.stringMatching(/^pod default\/loser recovered after \d/),
  ]);
});

it('a target out of reach gets nothing, and the answer says why', async () => {
  const metadata = {
    ...notification('metadata', 'nobody'),
    spec: { target: { type: 'Slack', url: 'http://169.254.169.254/' } },
  };
  await mendlet.create(metadata);
  const trial = await cli('notify', 'test', 'metadata');
  expect(trial).toMatchObject({ code: 1, stderr: '' });
  expect(trial.stdout).toContain('not delivered: 169.254.169.254 is a link-local address');
  expect(await cli('notify', 'test', 'nobody')).toMatchObject({ code: 1, stdout: '' });
});

itInWhole(
  'a target that hangs, fails and comes back gets one message each, though mendlet is killed in between',
  async () => {
    const { pod, heal } = quitter('phoenix');
    const before = asked.length;
    answer = () => {};
    await mendlet.create(notification('patient', 'phoenix'), pod);
    await mendlet.untilPod('phoenix', 'stopped', isStopped);
    const untilAsked = (count: number): Promise<boolean> =>
      until<boolean>(`${count} tries`, async () =>
        asked.length >= count ? { value: true } : { last: String(asked.length) },
      );
    await untilAsked(before + 1);
    await mendlet.end('SIGKILL');
    answer = (response) => response.writeHead(500).end('not now');
    await mendlet.up();
    await untilAsked(before + 3);
    expect(await mendlet.kubectl(['describe', 'notification', 'patient'])).toContain('the target answered 500');
    answer = accept;
    await untilTitles('phoenix', 1);
    // Each try was of the same message.
    expect(new Set(asked.slice(before)).size).toBe(1);
    await mendlet.end('SIGKILL');
    heal();
    await mendlet.up();
    expect(await cli('restart', 'pod/phoenix', '--force')).toMatchObject({ code: 0 });
    const titles = await untilTitles('phoenix', 2);
    expect(titles).toEqual(['pod default/phoenix: healing gave up', expect.stringMatching(/recovered after/)]);
    await mendlet.end('SIGKILL');
    await mendlet.up();
    await until<boolean>('a trial after that', async () => {
      const { code, stdout } = await cli('notify', 'test', 'patient');
      return code === 0 ? { value: true } : { last: stdout };
    });
    expect(titlesOf('phoenix')).toHaveLength(2);
  },
);
