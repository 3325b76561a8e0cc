import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { LINK_MS, MAX_LINKS, MAX_LINKS_EACH, MAX_SESSIONS_EACH, SESSION_IDLE_MS, SESSION_MAX_MS } from '../limits.ts';
import type { Viewer } from '../ports.ts';
import { systemSecrets } from '../secrets.node.ts';
import { OneTimeLinks } from './one-time-links.ts';
import { Sessions } from './sessions.ts';

const viewer = (name: string): Viewer => ({ name, key: name }) as Viewer;
const HOUR = 3600_000;

function setUp() {
  const clock = createManualClock();
  const ports = { clock, secrets: systemSecrets };
  return { clock, links: new OneTimeLinks(ports), sessions: new Sessions(ports) };
}

describe('a one-time link', () => {
  it('lets in once', () => {
    const { links } = setUp();
    const code = links.make({ viewer: viewer('alice'), write: true }) ?? '';
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(links.use(code)).toMatchObject({ viewer: { name: 'alice' }, write: true });
    expect(links.use(code)).toBeUndefined();
  });

  it('lets in for a minute', async () => {
    const { links, clock } = setUp();
    const early = links.make({ viewer: viewer('alice'), write: false }) ?? '';
    const late = links.make({ viewer: viewer('alice'), write: false }) ?? '';
    await clock.advance(LINK_MS - 1);
    expect(links.use(early)).toBeDefined();
    await clock.advance(1);
    expect(links.use(late)).toBeUndefined();
  });

  it('replaces its identity’s oldest, and nobody else’s', () => {
    const { links } = setUp();
    const bobs = links.make({ viewer: viewer('bob'), write: false }) ?? '';
    const alices = Array.from(
      { length: MAX_LINKS_EACH + 1 },
      () => links.make({ viewer: viewer('alice'), write: false }) ?? '',
    );
    expect(links.use(alices[0] ?? '')).toBeUndefined();
    expect(links.use(alices[1] ?? '')).toBeDefined();
    expect(links.use(bobs)).toBeDefined();
  });

  it('waits among a bounded number', async () => {
    const { links, clock } = setUp();
    for (let index = 0; index < MAX_LINKS; index += 1) links.make({ viewer: viewer(`u${index}`), write: false });
    expect(links.make({ viewer: viewer('alice'), write: false })).toBeUndefined();
    await clock.advance(LINK_MS);
    expect(links.make({ viewer: viewer('alice'), write: false })).toBeDefined();
  });
});

describe('a session', () => {
  it('ends when it is not used for twelve hours', async () => {
    const { sessions, clock } = setUp();
    const value = sessions.begin({ viewer: viewer('alice'), write: false }) ?? '';
    await clock.advance(SESSION_IDLE_MS - 1);
    expect(sessions.find(value)?.viewer.name).toBe('alice');
    await clock.advance(SESSION_IDLE_MS - 1);
    const session = sessions.find(value);
    expect(session?.ended.aborted).toBe(false);
    await clock.advance(SESSION_IDLE_MS);
    expect(sessions.find(value)).toBeUndefined();
    expect(session?.ended.aborted).toBe(true);
  });

  it('ends after a week, however much it is used', async () => {
    const { sessions, clock } = setUp();
    const value = sessions.begin({ viewer: viewer('alice'), write: false }) ?? '';
    for (let passed = 0; passed < SESSION_MAX_MS - HOUR; passed += HOUR) {
      await clock.advance(HOUR);
      expect(sessions.find(value)).toBeDefined();
    }
    await clock.advance(HOUR);
    expect(sessions.find(value)).toBeUndefined();
  });

  it('replaces the one of its identity that was used longest ago', async () => {
    const { sessions, clock } = setUp();
    const bobs = sessions.begin({ viewer: viewer('bob'), write: false }) ?? '';
    const values: string[] = [];
    for (let index = 0; index < MAX_SESSIONS_EACH; index += 1) {
      values.push(sessions.begin({ viewer: viewer('alice'), write: false }) ?? '');
      await clock.advance(1);
    }
    sessions.find(values[0] ?? '');
    sessions.begin({ viewer: viewer('alice'), write: false });
    expect(sessions.find(values[0] ?? '')).toBeDefined();
    expect(sessions.find(values[1] ?? '')).toBeUndefined();
    expect(sessions.find(bobs)).toBeDefined();
  });

  it('is not found by what is stored of it', () => {
    const { sessions } = setUp();
    const value = sessions.begin({ viewer: viewer('alice'), write: false }) ?? '';
    expect(sessions.find(systemSecrets.hash(value))).toBeUndefined();
    sessions.end(value);
    expect(sessions.find(value)).toBeUndefined();
  });
});
