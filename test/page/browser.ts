/** A headless Chromium for tests, and contexts of it whose pages report every fault. */
import { hostname } from 'node:os';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from './find-chromium.ts';

/** Names that lead to this machine, as the name of a stranger's site does once its owner has rebound it. */
export const REBOUND = 'rebound.example';
/** A stranger's site. */
export const STRANGER = 'stranger.example';

/**
 * @param wire a port of this machine that stands in for the pages' own, whatever that is
 * @throws without a Chromium, or with its own words when it does not start
 */
export async function startBrowser(wire?: number): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium: npm run e2e:page installs it');
  const rules = [REBOUND, `*.${REBOUND}`, STRANGER, hostname()].map((name) => `MAP ${name} 127.0.0.1`);
  const wires = wire === undefined ? [] : [`MAP mendlet-*.localhost 127.0.0.1:${wire}`];
  return chromium.launch({
    executablePath,
    headless: true,
    // Chromium refuses a sandbox to root; all pages here are the tests' own.
    chromiumSandbox: false,
    args: [`--host-resolver-rules=${[...rules, ...wires].join(', ')}`],
  });
}

export interface VisitorOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly javaScript?: boolean;
  readonly reducedMotion?: boolean;
  /** Pixels of the screen for one of CSS; 1 when absent. */
  readonly scale?: number;
  /** Certificates of whoever are taken. */
  readonly anyCertificate?: boolean;
}

/** Somebody with a browser profile of their own: cookies and pages, and what went wrong in them. */
export interface Visitor {
  readonly context: BrowserContext;
  /** Errors of scripts and of the console, and violations of the content security policy, of all pages. */
  readonly faults: string[];
  open(url: string): Promise<Page>;
  /** The faults that no pattern covers, once. */
  takeFaults(...expected: readonly RegExp[]): readonly string[];
  leave(): Promise<void>;
}

/** Chromium gives up what it is loading when an interface of the machine comes or goes, as those of pods do: no page is at fault. */
const NETWORK_CHANGED = /ERR_NETWORK_CHANGED/;
const MAX_LOADS = 5;

/** Loads the page anew. @throws what Chromium says, unless that has only noticed other interfaces */
export function reload(page: Page): Promise<void> {
  return despiteChanges(() => page.reload());
}

async function despiteChanges(load: () => Promise<unknown>): Promise<void> {
  for (let loads = 1; ; loads += 1) {
    try {
      await load();
      return;
    } catch (error) {
      if (loads === MAX_LOADS || !(error instanceof Error) || !NETWORK_CHANGED.test(error.message)) throw error;
    }
  }
}

export async function newVisitor(browser: Browser, options: VisitorOptions = {}): Promise<Visitor> {
  const { width = 1280, height = 800, dark = false, javaScript = true, reducedMotion = false, scale = 1 } = options;
  const { anyCertificate = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: dark ? 'dark' : 'light',
    javaScriptEnabled: javaScript,
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ignoreHTTPSErrors: anyCertificate,
  });
  const faults: string[] = [];
  context.on('weberror', (each) => faults.push(`error: ${each.error().message}`));
  context.on('console', (message) => {
    const text = message.text();
    if (NETWORK_CHANGED.test(text)) return;
    if (message.type() === 'error' || /Content[- ]Security[- ]Policy|Trusted ?Type|Permissions[- ]Policy/i.test(text))
      faults.push(`console: ${text} (${message.location().url})`);
  });
  return {
    context,
    faults,
    open: async (url) => {
      const page = await context.newPage();
      await despiteChanges(() => page.goto(url, { waitUntil: 'domcontentloaded' }));
      return page;
    },
    takeFaults: (...expected) => faults.splice(0).filter((fault) => !expected.some((pattern) => pattern.test(fault))),
    leave: () => context.close(),
  };
}
