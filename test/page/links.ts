/** Links to the page, as `mendlet dashboard` prints them. */
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { Running } from '../support/running.ts';
import type { Visitor } from './browser.ts';

const PROGRAM = resolve(import.meta.dirname, '../../dist/mendlet.js');
const LINK = /https?:\/\/[\w.-]+:\d+\/#login=\S+/;

export interface PageLink {
  readonly url: string;
  /** "http://mendlet-….localhost:PORT" */
  readonly origin: string;
  readonly name: string;
  readonly port: number;
  /** Ends the command if it still runs, as it does when it serves the page itself. */
  end(): Promise<void>;
}

/** @param flags of `mendlet dashboard`. @throws with all that it says when it ends without a link */
export async function newLink(kubeconfig: string, ...flags: readonly string[]): Promise<PageLink> {
  return await linkOf(new Running(process.execPath, [PROGRAM, 'dashboard', '--kubeconfig', kubeconfig, ...flags]));
}

async function linkOf(command: Running): Promise<PageLink> {
  const url = await new Promise<string>((done, fail) => {
    const look = (): void => {
      const [found] = LINK.exec(command.out) ?? [];
      if (found !== undefined) done(found);
    };
    command.child.stdout?.on('data', look);
    const ended = (how: unknown): void =>
      fail(new Error(`mendlet dashboard: ${String(how)}\n${command.out}${command.log}`));
    void command.ended.then(ended, ended);
  });
  const { origin, hostname, port } = new URL(url);
  return { url, origin, name: hostname, port: Number(port), end: async () => void (await command.end('SIGTERM')) };
}

/** Follows a link. Resolves when the page is live. */
export async function enter(visitor: Visitor, link: PageLink): Promise<Page> {
  const page = await visitor.open(link.url);
  await untilLive(page);
  return page;
}

export async function untilLive(page: Page): Promise<void> {
  await page.locator('.pulse.is-live').waitFor({ state: 'attached', timeout: 120_000 });
}

/** The row of a workload. @param id "deploy/shop/api" */
export function rowOf(page: Page, id: string): ReturnType<Page['locator']> {
  return page.locator(`tr:has([data-row="${id}"])`);
}
