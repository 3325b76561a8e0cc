/**
 * A test run that is killed leaves its mendlets, their containers, networks and logs behind, and the next run would meet them:
 * taken networks, log folders of pods of the same name. Each data folder says whose it is, so that the next run removes it first.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearAsByReboot, killNode } from '../support/lab-death.ts';
import { kill } from '../support/lab-network.ts';
import { isAlive, mendletsOf, ownerOf, TEST_FOLDER_PREFIX } from '../support/mendlet-processes.ts';
import { root, run } from './harness.ts';

/** Removes what processes that are no more left. What cannot be removed is told: the suite that it hinders fails by itself. */
export async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(TEST_FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name);
    const owner = ownerOf(folder);
    if (owner === undefined || isAlive(owner)) continue;
    console.log(`set-up: removing ${folder}, which a killed test run left`);
    for (const pid of mendletsOf(folder)) kill(pid);
    const dataDir = join(folder, 'data');
    if (existsSync(dataDir)) {
      // At once: nobody waits for the grace of their pods.
      await killNode(dataDir, undefined);
      clearAsByReboot(dataDir);
      const down = await run(process.execPath, [
        join(root, 'dist/mendlet.js'),
        'down',
        '--data-dir',
        dataDir,
        '--purge',
      ]);
      if (down.code !== 0) {
        console.warn(`mendlet down: ${down.stdout}${down.stderr}`);
        continue;
      }
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
