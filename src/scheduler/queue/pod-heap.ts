/** A binary heap of waiting pods from which any pod can be removed. */
import type { QueuedPod } from './queued-pod.ts';

export class PodHeap {
  readonly #less: (a: QueuedPod, b: QueuedPod) => boolean;
  readonly #items: QueuedPod[] = [];
  readonly #places = new Map<QueuedPod, number>();

  constructor(less: (a: QueuedPod, b: QueuedPod) => boolean) {
    this.#less = less;
  }

  get size(): number {
    return this.#items.length;
  }

  /** In no order. */
  items(): Iterable<QueuedPod> {
    return this.#items;
  }

  peek(): QueuedPod | undefined {
    return this.#items[0];
  }

  add(pod: QueuedPod): void {
    this.#put(pod, this.#items.length);
    this.#up(this.#items.length - 1);
  }

  pop(): QueuedPod | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  remove(pod: QueuedPod): void {
    const place = this.#places.get(pod);
    if (place === undefined) return;
    this.#places.delete(pod);
    const last = this.#items.pop();
    if (last === undefined || last === pod) return;
    this.#put(last, place);
    this.#up(place);
    this.#down(place);
  }

  #put(pod: QueuedPod, place: number): void {
    this.#items[place] = pod;
    this.#places.set(pod, place);
  }

  #up(from: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isLess(place, parent)) return;
      this.#swap(place, parent);
      place = parent;
    }
  }

  #down(from: number): void {
    let place = from;
    for (;;) {
      let least = place;
      for (const child of [2 * place + 1, 2 * place + 2])
        if (child < this.#items.length && this.#isLess(child, least)) least = child;
      if (least === place) return;
      this.#swap(place, least);
      place = least;
    }
  }

  #isLess(a: number, b: number): boolean {
    const left = this.#items[a];
    const right = this.#items[b];
    return left !== undefined && right !== undefined && this.#less(left, right);
  }

  #swap(a: number, b: number): void {
    const left = this.#items[a];
    const right = this.#items[b];
    if (left === undefined || right === undefined) return;
    this.#put(right, a);
    this.#put(left, b);
  }
}
