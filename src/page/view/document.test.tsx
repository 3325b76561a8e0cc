import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { fixtureLife, fixtureState, HOSTILE, hostileRow } from '../../../test/page/fixture-feed.ts';
import type { PageAsset } from '../assets.ts';
import type { PageState } from '../contract.ts';
import { firstView } from '../page-view.ts';
import * as rendering from '../rendering.js';
import { READ_ONLY, refusal } from './acts.tsx';
import { Charts } from './charts.tsx';
import { standingClock } from './clock.tsx';
import { Deaths } from './deaths.tsx';
import { embedded, renderLogin, renderPage } from './document.tsx';
import { Events } from './events.tsx';
import { Findings } from './findings.tsx';
import { NO_HANDS } from './hands.ts';
import { Page } from './page.tsx';

const NOW = 1_790_000_000_000;
const asset = (kind: PageAsset['kind'], name: string): PageAsset => ({ kind, name, type: '', brotli: '', gzip: '' });
const assets = [asset('script', 'page-1.js'), asset('style', 'page-2.css')];

/** What a strict policy would refuse, and what hostile texts would want. */
function expectTame(html: string): void {
  const markup = html
    .replace(/(<script type="application\/json"[^>]*>)[^<]*(<\/script>)/, '$1$2')
    // What is in attributes is text, whatever it says.
    .replace(/="[^"]*"/g, '=""');
  expect(markup).not.toMatch(/<[^>]*\sstyle=/);
  expect(markup).not.toMatch(/<[^>]*\son\w+=/);
  expect(markup).not.toMatch(/<style|javascript:|<img|<iframe/i);
  expect(markup.match(/<script/g) ?? []).toHaveLength(html.includes('first-state') ? 2 : 1);
  // oxlint-disable-next-line no-control-regex
  expect(markup).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u200b\u202e\u2066]/);
}

describe('the page, as the server draws it', () => {
  it('is readable without script: verdict, nodes, and a row of a table for each workload', () => {
    const state = fixtureState({ rows: 3, now: NOW, troubled: 1 });
    const html = renderPage(state, assets);
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toContain(`<title>✗ `);
    expect(html.match(/<th role="rowheader"/g)).toHaveLength(3);
    for (const { name } of state.rows) expect(html).toContain(`<bdi>${name}</bdi>`);
    expect(html).toContain('gave up after 8 attempts');
    expect(html).toContain('Without its script this page stands still');
    expect(html).toContain('<script type="module" src="/assets/page-1.js">');
    expectTame(html);
  });

  it('carries the state that it was drawn from', () => {
    const state = fixtureState({ rows: 5, now: NOW, troubled: 2, isHostile: true });
    const [, json] =
      /<script type="application\/json" id="first-state">([^<]*)<\/script>/.exec(renderPage(state, assets)) ?? [];
    expect(JSON.parse(json ?? '')).toEqual(state);
  });

  it('shows hostile names as what they are', () => {
    const state = fixtureState({ rows: 1, now: NOW, isHostile: true });
    const html = renderPage({ ...state, cluster: HOSTILE.script, you: HOSTILE.name }, assets);
    expectTame(html);
    expect(html).toContain('<bdi>&lt;img src=x onerror=alert(1)></bdi>');
    expect(html).toContain('api⟨202E⟩gpj.exe');
  });

  it('is what the door declares', () => {
    const declared: typeof rendering = { renderPage, renderLogin };
    expect(rendering).toMatchObject(declared);
  });

  it('holds 500 workloads', () => {
    const html = renderPage(fixtureState({ rows: 500, now: NOW, troubled: 20 }), assets);
    expect(html.match(/<th role="rowheader"/g)).toHaveLength(500);
    expect(html.length).toBeLessThan(2_500_000);
  });

  it('shows nothing of a dead feed as well', () => {
    const state: PageState = {
      ...fixtureState({ rows: 3, now: NOW }),
      stale: { since: NOW - 60_000, problem: 'the API server does not answer' },
    };
    const html = renderPage(state, assets);
    expect(html).toContain('This is how it was at');
    expect(html).toContain('the API server does not answer');
    expect(html).toContain('was ok');
    // The help shows all marks, whatever is.
    expect(html.split('<dialog')[0]).not.toMatch(/is-(ok|done|live)\b/);
    expect(html).toContain('<title>? no live data for 1 min');
  });

  it('the life of a hostile workload is tame', () => {
    const row = hostileRow(NOW);
    const life = fixtureLife(row, NOW);
    const texts = [HOSTILE.script, HOSTILE.name, HOSTILE.control, HOSTILE.bidi];
    const html = [
      renderToString(
        <Deaths
          namespace={HOSTILE.bidi}
          deaths={life.deaths.map((death) => ({
            ...death,
            exit: HOSTILE.script,
            before: texts,
            done: texts,
            evidence: { lastLines: texts, probes: texts, memory: HOSTILE.name },
          }))}
        />,
      ),
      renderToString(
        <Findings findings={[{ severity: 'critical', headline: HOSTILE.script, evidence: texts, commands: texts }]} />,
      ),
      renderToString(
        <Events events={life.events.map((event) => ({ ...event, reason: HOSTILE.name, words: HOSTILE.script }))} />,
      ),
      renderToString(
        <Page
          view={{ ...firstView(fixtureState({ rows: 1, now: NOW, isHostile: true })), openId: row.id }}
          clock={standingClock(NOW)}
          hands={NO_HANDS}
        />,
      ),
    ].join('');
    expect(html).toContain('Last words');
    expectTame(`<script>${html}`);
  });

  it('charts say in words what they draw', () => {
    const { series, deaths } = fixtureLife(hostileRow(NOW), NOW);
    const html = series === undefined ? '' : renderToString(<Charts series={series} deaths={deaths} />);
    expect(html).toMatch(/aria-label="CPU: now [\d.]+ cores, highest [\d.]+ cores; 3 deaths marked"/);
    const empty = renderToString(
      <Charts series={{ stepMs: 1, from: 0, cpu: [], memory: [null], restarts: [] }} deaths={[]} />,
    );
    expect(empty).toContain('aria-label="Memory: not known"');
  });

  it('embedded JSON neither ends its element nor opens one', () => {
    const value = { text: '</script><!--<script>&\u2028' };
    expect(embedded(value)).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(embedded(value))).toEqual(value);
  });
});

describe('the form of who has no session', () => {
  it('tells where a link comes from, and why the last try failed', () => {
    const html = renderLogin(`${HOSTILE.script} expired`, assets);
    expect(html).toContain('mendlet dashboard');
    expect(html).toContain('expired');
    expectTame(html);
  });
});

describe('acts', () => {
  const allowed = { allowed: true };
  const rights = {
    restart: allowed,
    'try-now': allowed,
    pause: { allowed: false, reason: 'ada cannot patch pods' },
    resume: { allowed: false },
  };

  it('are refused with the reason', () => {
    const known = { rights, problem: undefined };
    expect(refusal('restart', 'deploy', known, true)).toBeUndefined();
    expect(refusal('restart', 'deploy', known, false)).toBe(READ_ONLY);
    expect(refusal('restart', 'job', known, true)).toMatch('A job is not restarted');
    expect(refusal('pause', 'deploy', known, true)).toBe('ada cannot patch pods');
    expect(refusal('resume', 'deploy', known, true)).toMatch('may not');
    expect(refusal('restart', 'deploy', { rights: undefined, problem: 'no answer' }, true)).toBe('no answer');
    expect(refusal('restart', 'deploy', { rights: undefined, problem: undefined }, true)).toMatch('being asked');
  });
});
