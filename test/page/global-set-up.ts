/**
 * Set-up before the suites of the live page: Chromium and the bundle are there, for root also what containers need, and what killed
 * tests left is gone.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { removeAbandoned } from '../e2e/abandoned.ts';
import { fetchNeeds } from '../e2e/fetch.ts';
import { whyNoChromium } from './find-chromium.ts';

const root = resolve(import.meta.dirname, '../..');

/** @throws with one line when there can be no Chromium, and with the words of the bundle's set-up */
export default async function setUp(): Promise<void> {
  const why = await whyNoChromium((text) => console.log(`set-up: ${text}`));
  if (why !== undefined) throw new Error(why);
  if (process.getuid?.() === 0) {
    await fetchNeeds();
    await removeAbandoned();
    return;
  }
  const { status, stdout, stderr } = spawnSync('./mendlet', ['version'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`./mendlet version: exit ${status}\n${stdout}${stderr}`);
}
