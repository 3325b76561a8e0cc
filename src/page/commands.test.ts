import { describe, expect, it } from 'vitest';
import {
  actCommand,
  deathsCommand,
  eventsCommand,
  lastDeathCommand,
  logsCommand,
  podsOf,
  quoted,
  whyCommand,
} from './commands.ts';
import type { PageRow } from './contract.ts';

const web = { kind: 'deploy', namespace: 'shop', name: 'web' };
const pod = { kind: 'pod', namespace: 'shop', name: 'web-1', container: 'app' };

describe('commands', () => {
  it.each([
    ['web', 'web'],
    ['a b', "'a b'"],
    ["it's", `'it'\\''s'`],
    ['$(reboot)', "'$(reboot)'"],
    ['-n', "'-n'"],
    ['', "''"],
    ['a\nb', "'a\nb'"],
  ])('the word %j is %s for a shell', (word, shown) => {
    expect(quoted(word)).toBe(shown);
  });

  it('show what the page shows', () => {
    const death = { namespace: 'shop', pod: 'web-1', container: 'app' };
    expect(lastDeathCommand(death)).toBe('kubectl history pod/web-1 -n shop -c app --death -1');
    expect(deathsCommand(death)).toBe('kubectl history pod/web-1 -n shop -c app -o wide');
    expect(whyCommand(web)).toBe('kubectl why deploy/web -n shop');
    expect(eventsCommand(web)).toBe('kubectl events -n shop --for deploy/web');
    expect(logsCommand(pod, { previous: false, follow: true })).toBe('kubectl logs web-1 -n shop -c app -f');
    expect(logsCommand(pod, { previous: true, follow: true })).toBe('kubectl logs web-1 -n shop -c app --previous');
  });

  it('do what the acts do', () => {
    expect(actCommand('restart', web, [])).toBe('kubectl restart deploy/web -n shop');
    expect(actCommand('restart', pod, ['web-1'])).toBe('kubectl restart pod/web-1 -n shop -c app');
    expect(actCommand('pause', web, ['web-1', 'web-2'])).toBe(
      'kubectl annotate --overwrite deploy/web pod/web-1 pod/web-2 -n shop mendlet.dev/healing-paused=true',
    );
    expect(actCommand('resume', web, ['web-1'])).toContain('mendlet.dev/healing-paused-');
    expect(actCommand('try-now', web, ['web-1'])).toContain('mendlet.dev/try-now="$(date');
  });

  it('are none where no single one does it', () => {
    expect(actCommand('restart', { ...web, kind: 'job' }, ['web-1'])).toBeUndefined();
    expect(actCommand('pause', web, undefined)).toBeUndefined();
    expect(podsOf({ pods: [], podsLeftOut: 2 } as unknown as PageRow)).toBeUndefined();
  });

  it('hostile names are one word each', () => {
    const hostile = { kind: 'deploy', namespace: '; rm -rf /', name: `x'; reboot; '` };
    expect(whyCommand(hostile)).toBe(`kubectl why 'deploy/x'\\''; reboot; '\\''' -n '; rm -rf /'`);
  });
});
