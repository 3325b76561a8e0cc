/** Acts on the page: with rights, read-only, and as somebody who may only look. What was done is asked of the API server. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newVisitor, startBrowser, type Visitor } from './browser.ts';
import { enter, newLink, type PageLink, rowOf, untilLive } from './links.ts';
import { PageCluster } from './page-cluster.ts';
import { newPerson, type Person } from './people.ts';

const API = 'deploy/shop/api';
const PAUSED = 'mendlet.dev/healing-paused';

let browser: Browser;
let cluster: PageCluster;
let viewer: Person;
const links: PageLink[] = [];
const visitors: Visitor[] = [];

beforeAll(async () => {
  [browser, cluster] = await Promise.all([startBrowser(), PageCluster.start()]);
  await cluster.deploy({ namespace: 'shop', name: 'api', replicas: 2 }, { namespace: 'vault', name: 'keys' });
  viewer = await newPerson(cluster, 'watcher', 'view', ['shop']);
});
afterAll(async () => {
  for (const link of links) await link.end();
  await browser.close();
  await cluster.remove();
});
afterEach(async () => {
  for (const visitor of visitors.splice(0)) {
    // A refusal is an answer that the browser writes into its console.
    expect(visitor.takeFaults(/status of 40[39]/)).toEqual([]);
    await visitor.leave();
  }
});

async function look(kubeconfig: string, ...flags: readonly string[]): Promise<Page> {
  const link = await newLink(kubeconfig, ...flags);
  links.push(link);
  const visitor = await newVisitor(browser);
  visitors.push(visitor);
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: link.origin });
  return await enter(visitor, link);
}

async function openLife(page: Page, id = API): Promise<ReturnType<Page['locator']>> {
  await rowOf(page, id).locator('[data-row]').click();
  const life = page.locator('.life');
  await life.waitFor();
  return life;
}

interface Annotated {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

async function annotationsOfPods(): Promise<readonly (string | undefined)[]> {
  const { items } = await cluster.api.get<{ items: Annotated[] }>('/api/v1/namespaces/shop/pods');
  return items.map(({ metadata }) => metadata.annotations?.[PAUSED]);
}

async function restarts(): Promise<readonly string[]> {
  const { items } = await cluster.api.get<{ items: { spec: { podName?: string } }[] }>(
    '/apis/mendlet.dev/v1alpha1/namespaces/shop/podrestarts',
  );
  return items.map(({ spec }) => JSON.stringify(spec));
}

/** An act without its button, as a script on the page could try it. */
function forced(page: Page, act: object): Promise<{ readonly status: number; readonly words: string }> {
  return page.evaluate(`fetch('/acts', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(${JSON.stringify(act)}),
  }).then(async (answer) => ({ status: answer.status, words: await answer.text() }))`);
}

describe('with rights, on a page that was opened for acts', () => {
  it('healing is paused after a question, and the pods say so', async () => {
    const page = await look(cluster.kubeconfig, '--write');
    const life = await openLife(page);
    const pause = life.getByRole('button', { name: 'Pause healing' }).first();
    await expect.poll(() => pause.getAttribute('aria-disabled')).toBe('false');
    await pause.click();
    const question = page.getByRole('group', { name: /Confirm/ });
    expect(await question.textContent()).toContain('deploy/api');
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await annotationsOfPods()).toEqual([undefined, undefined]);
    await pause.click();
    await question.getByRole('button', { name: 'Pause healing', exact: true }).click();
    await expect.poll(annotationsOfPods).toEqual([expect.any(String), expect.any(String)]);
    await expect.poll(() => page.locator('.notice').textContent(), { timeout: 120_000 }).toMatch(/paused/);
  });

  it('a pod is restarted by an object of the restarter', async () => {
    const page = await look(cluster.kubeconfig, '--write');
    const life = await openLife(page);
    const button = life.getByRole('button', { name: /^Restart pod api-/ }).first();
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    await button.click();
    await page
      .getByRole('group', { name: /Confirm/ })
      .getByRole('button', { name: 'Restart', exact: true })
      .click();
    await expect.poll(restarts).toHaveLength(1);
    expect((await restarts())[0]).toContain('api-');
  });

  it('the command for the same is copied', async () => {
    const page = await look(cluster.kubeconfig, '--write');
    await rowOf(page, API)
      .getByRole('button', { name: /Copy the command/ })
      .click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/^kubectl .*api/);
  });
});

describe('read-only', () => {
  it('every act is greyed with the reason, and refused without its button', async () => {
    const before = [await annotationsOfPods(), await restarts()];
    const page = await look(cluster.kubeconfig);
    const life = await openLife(page);
    const buttons = life.getByRole('group', { name: 'Acts' }).getByRole('button');
    expect(await buttons.count()).toBeGreaterThan(1);
    for (const button of await buttons.all()) {
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      // A person may click it nevertheless.
      await button.click({ force: true });
    }
    expect(await page.getByRole('group', { name: /Confirm/ }).count()).toBe(0);
    expect(await life.textContent()).toContain('mendlet dashboard --write');
    const answer = await forced(page, { act: 'restart', kind: 'deploy', namespace: 'shop', name: 'api' });
    expect(answer).toMatchObject({ status: 403, words: expect.stringContaining('read-only') });
    expect([await annotationsOfPods(), await restarts()]).toEqual(before);
  });
});

describe('somebody who may only look at one namespace', () => {
  it('sees that and no other, and is told which right is missing', async () => {
    const before = [await annotationsOfPods(), await restarts()];
    const page = await look(viewer.kubeconfig, '-n', 'shop', '--write');
    expect(await rowOf(page, API).count()).toBe(1);
    expect(await page.textContent('body')).not.toContain('vault');
    const life = await openLife(page);
    await expect.poll(() => life.textContent()).toMatch(/watcher may not (create|patch) pods/);
    for (const button of await life.getByRole('group', { name: 'Acts' }).getByRole('button').all())
      expect(await button.getAttribute('aria-disabled')).toBe('true');
    for (const act of ['restart', 'pause', 'try-now', 'resume']) {
      const { status } = await forced(page, { act, kind: 'deploy', namespace: 'shop', name: 'api' });
      expect([act, status]).toEqual([act, expect.toSatisfy((code: number) => code >= 400)]);
    }
    const elsewhere = await page.evaluate<number>('fetch("/life?id=deploy/vault/keys").then(({ status }) => status)');
    expect(elsewhere).toBeGreaterThanOrEqual(400);
    expect([await annotationsOfPods(), await restarts()]).toEqual(before);
  });

  it('comes in with a pasted token, and with no other one', async () => {
    const link = await newLink(cluster.kubeconfig);
    links.push(link);
    const visitor = await newVisitor(browser);
    visitors.push(visitor);
    const page = await visitor.open(`${link.origin}/`);
    await page.getByLabel('Token').fill(`${viewer.token.slice(0, -8)}AAAAAAAA`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/does not know this token/);
    await page.getByLabel('Token').fill(viewer.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await untilLive(page);
    expect(await page.locator('.you').textContent()).toContain('watcher');
    expect(await page.textContent('body')).not.toContain('vault');
  });
});
