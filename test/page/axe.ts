/** Asks axe-core what keeps people with assistive technology from using a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** A line for each violation of any rule of axe, best practices included, with the first elements that break it. */
export async function axeProblems(page: Page): Promise<readonly string[]> {
  // What is evaluated by the browser's debugger is no script of the page: its content security policy stays as it is.
  await page.evaluate(source);
  const { violations } = await page.evaluate<AxeResult>('axe.run(document, { resultTypes: ["violations"] })');
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(
          ({ html, failureSummary = '' }) =>
            `${html.slice(0, 200)} (${failureSummary.replaceAll(/\s+/g, ' ').slice(0, 300)})`,
        )
        .join('; ')}`,
  );
}
