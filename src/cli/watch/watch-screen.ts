/** The picture in a terminal: draws it again when something changed, when a countdown goes on, and when a key was pressed. */
import { Screen, type Terminal } from '../../lib/index.ts';
import type { Overview } from '../../overview/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Bell } from '../restart/bell.ts';
import { deedOn, logsPane, whyPane } from './answer-pane.ts';
import type { ClusterFeed } from './cluster-feed.ts';
import { type Key, keysOf } from './keys.ts';
import { REPAINT_MS, TICK_MS } from './limits.ts';
import { type Frame, heightOf, picture } from './picture.ts';
import { staleText } from './stale-text.ts';
import { type Act, pressed, START, type ViewState, visibleRows } from './view-state.ts';

export interface WatchScreenParts {
  /** Its signal ends the watch. */
  readonly session: ClusterSession;
  readonly screen: Terminal;
  readonly feed: ClusterFeed;
  readonly bell: Bell;
  /** The cluster's clock minus ours, ms. */
  readonly aheadMs: number;
}

export class WatchScreen {
  readonly #parts: WatchScreenParts;
  #state: ViewState = START;
  #overview: Overview | undefined;
  #isOver = false;
  #isSynced = false;

  constructor(parts: WatchScreenParts) {
    this.#parts = parts;
  }

  /** @param look the overview as it is now */
  async run(look: () => Overview): Promise<ExitCode> {
    const { session, screen, feed, bell } = this.#parts;
    const drawn = new Screen(screen);
    const silence = screen.keys?.((typed) => {
      for (const key of keysOf(typed)) this.#press(key);
      bell.ring();
    });
    void feed.ready.then(() => this.#synced()).catch(() => {});
    const mono = (): number => session.clock.now().mono;
    let lookedAt = Number.NEGATIVE_INFINITY;
    try {
      while (!session.signal.aborted && !this.#isOver) {
        // Keys are answered at once, changes of the cluster a few times a second.
        const restMs = lookedAt + REPAINT_MS - mono();
        const isKnown = this.#isSynced || feed.failures().length > 0;
        if (isKnown && restMs <= 0) {
          this.#overview = look();
          lookedAt = mono();
        }
        drawn.draw(picture(this.#overview, this.#state, this.#frame()));
        await bell.wait(session.clock, isKnown && restMs > 0 ? restMs : TICK_MS);
      }
    } finally {
      silence?.();
      drawn.close();
    }
    return exitCodes.done;
  }

  #synced(): void {
    this.#isSynced = true;
    this.#parts.bell.ring();
  }

  #frame(): Frame {
    const { session, screen, feed, aheadMs } = this.#parts;
    const now = session.clock.now().wall;
    const stale = staleText(feed.failures(), now);
    return {
      columns: screen.columns() || 80,
      rows: screen.rows() || 24,
      colours: session.isPlain !== true,
      now: now + aheadMs,
      ...(stale === undefined ? {} : { stale }),
    };
  }

  #press(key: Key): void {
    const frame = this.#frame();
    const room = {
      rows: visibleRows(this.#state, this.#overview?.rows ?? []),
      height: heightOf(this.#overview, frame),
    };
    const { state, act } = pressed(this.#state, key, room);
    this.#state = state;
    if (act !== undefined) void this.#act(act, room.height);
  }

  /** What is asked for may take a while: the rows go on meanwhile. */
  async #act(act: Act, height: number): Promise<void> {
    if (act.kind === 'quit') {
      this.#isOver = true;
      return;
    }
    const { session, bell } = this.#parts;
    this.#say(`${act.kind} ${act.row.kind}/${act.row.name} …`);
    try {
      if (act.kind !== 'why' && act.kind !== 'logs') this.#say(await deedOn(session, act.kind, act.row));
      else {
        const pane = act.kind === 'why' ? await whyPane(session, act.row) : await logsPane(session, act.row, height);
        const { said: _, ...rest } = this.#state;
        this.#state = { ...rest, pane };
      }
    } catch (error) {
      // The session was ended.
      if (!session.signal.aborted) throw error;
    }
    bell.ring();
  }

  #say(said: string): void {
    this.#state = { ...this.#state, said };
    this.#parts.bell.ring();
  }
}
