/** Orders events by time, and events of one instant in an order that the seed drew. */
export interface SimEvent {
  /** Mono ms. */
  readonly at: number;
  readonly tie: number;
  readonly label: string;
  readonly fire: () => void;
  cancelled: boolean;
}

function before(a: SimEvent, b: SimEvent): boolean {
  return a.at < b.at || (a.at === b.at && a.tie < b.tie);
}

/** A binary heap. */
export class EventHeap {
  readonly #events: SimEvent[] = [];

  get size(): number {
    return this.#events.length;
  }

  peek(): SimEvent | undefined {
    return this.#events[0];
  }

  push(event: SimEvent): void {
    const events = this.#events;
    let index = events.length;
    events.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = events[parent] as SimEvent;
      if (!before(event, above)) break;
      events[index] = above;
      index = parent;
    }
    events[index] = event;
  }

  pop(): SimEvent | undefined {
    const events = this.#events;
    const top = events[0];
    const last = events.pop();
    if (top === undefined || last === undefined || events.length === 0) return top;
    let index = 0;
    for (;;) {
      const left = index * 2 + 1;
      if (left >= events.length) break;
      const right = left + 1;
      const child = right < events.length && before(events[right] as SimEvent, events[left] as SimEvent) ? right : left;
      if (!before(events[child] as SimEvent, last)) break;
      events[index] = events[child] as SimEvent;
      index = child;
    }
    events[index] = last;
    return top;
  }
}
