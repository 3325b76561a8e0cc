/** Finds the checkout that a program runs from. It is apart from the set-up, which loads what drives a containerd. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The checkout that this program runs from, `undefined` for an installed package, which has no sources. */
export function findCheckout(programFolder: string): string | undefined {
  for (const folder of [join(programFolder, '..'), join(programFolder, '../..')]) {
    if (existsSync(join(folder, 'mendlet')) && existsSync(join(folder, 'src/main/main.ts'))) return folder;
  }
  return undefined;
}
