/** Messages in the form that each type of target takes. Pure. */
import type { NotificationTargetType } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { ALERT_PERIODS, MAX_ALERT_LIFE_MS, MAX_NTFY_BYTES, MIN_ALERT_LIFE_MS } from './limits.ts';
import type { Message, ToldNotice } from './message.ts';
import { bodyOf, nameOf, titleOf } from './message-text.ts';

export interface ShapedMessage {
  /** The address of the target, with a path where the type has a fixed one. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ShapeOptions {
  readonly url: string;
  /** Until what goes on is told again; absent: never. */
  readonly repeatAfterMs?: number;
}

const JSON_TYPE = { 'content-type': 'application/json' };

export function shapeMessage(type: NotificationTargetType, message: Message, options: ShapeOptions): ShapedMessage {
  const id = { 'idempotency-key': message.id };
  switch (type) {
    case 'Generic':
      return { url: options.url, headers: { ...JSON_TYPE, ...id }, body: JSON.stringify(genericBody(message)) };
    case 'Slack':
      return { url: options.url, headers: { ...JSON_TYPE, ...id }, body: JSON.stringify(slackBody(message)) };
    case 'Ntfy':
      return {
        url: options.url,
        headers: { ...ntfyHeaders(message), ...id },
        body: cutBytes(bodyOf(message), MAX_NTFY_BYTES),
      };
    case 'Alertmanager':
      return {
        url: alertsUrl(options.url),
        headers: { ...JSON_TYPE, ...id },
        body: JSON.stringify(alertsOf(message, options.repeatAfterMs)),
      };
  }
}

/** `docs/notifications.md` describes it: fields may come, none goes or changes its meaning. */
function genericBody(message: Message): object {
  const { id, at, cluster, sender, isTest, notices } = message;
  const { kind, namespace, name } = sender;
  return {
    apiVersion: 'mendlet.dev/v1',
    kind: 'NotificationMessage',
    id,
    sentAt: formatTime(at),
    ...(cluster === undefined ? {} : { cluster }),
    notification: { kind, ...(namespace === undefined ? {} : { namespace }), name },
    ...(isTest ? { test: true } : {}),
    title: titleOf(message),
    text: bodyOf(message),
    notices: notices.map(genericNotice),
  };
}

const END_WORDS = { recovered: 'Recovered', gone: 'Gone', 'no-pods': 'NoPods', failed: 'Failed' } as const;

function genericNotice(notice: ToldNotice): object {
  const { id, trouble, kind, trigger, objectKind, namespace, name, since, endedAt, times, headline, cause, next } =
    notice;
  return {
    id,
    trouble,
    state: kind === 'recovered' ? 'Recovered' : 'Firing',
    ...(notice.end === undefined ? {} : { end: END_WORDS[notice.end] }),
    trigger,
    object: { kind: objectKind, ...(namespace === '' ? {} : { namespace }), name },
    headline,
    cause,
    since: formatTime(since),
    ...(endedAt === undefined
      ? {}
      : { endedAt: formatTime(endedAt), durationSeconds: Math.max(0, Math.round((endedAt - since) / 1000)) }),
    times,
    next,
    commands: notice.commands,
  };
}

/** Slack fetches no page that a log line names. */
function slackBody(message: Message): object {
  return { text: slackText(message), unfurl_links: false, unfurl_media: false };
}

/**
 * Slack's control characters of text. Mattermost and Rocket.Chat take a bare "@all" for a mention, too: a space without width after
 * the sign ends that, and stays out of "image@sha256:…".
 */
function escapeSlack(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll(/(?<![\w/.-])@(?=[\p{L}\p{N}_])/gu, '@\u200b');
}

function slackText(message: Message): string {
  const title = `*${escapeSlack(titleOf(message).replaceAll('*', '∗'))}*`;
  // Back-ticks of others must not end ours.
  const body = bodyOf(message, (command) => `\u0000${command}\u0000`);
  return `${title}\n${escapeSlack(body).replaceAll('`', 'ˋ').replaceAll('\u0000', '`')}`;
}

/** Headers of HTTP hold ASCII; ntfy decodes the words of RFC 2047. */
function ntfyHeaders(message: Message): Record<string, string> {
  const isOver = !message.isTest && message.notices.every(({ end }) => end === 'recovered');
  const isFiring = message.notices.some(({ kind }) => kind !== 'recovered');
  const isGrave = message.notices.some(({ kind, trigger }) => kind !== 'recovered' && trigger !== 'NeedsHuman');
  return {
    'content-type': 'text/plain; charset=utf-8',
    title: headerText(titleOf(message).slice(0, 200)),
    priority: isGrave ? '5' : isFiring ? '4' : '3',
    tags: message.isTest ? 'wrench' : isOver ? 'white_check_mark' : isFiring ? 'rotating_light' : 'information_source',
  };
}

function headerText(text: string): string {
  if (/^[\u0020-\u007e]*$/.test(text)) return text;
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return `=?UTF-8?B?${btoa(binary)}?=`;
}

/** At most so many bytes of UTF-8, without half a character. */
function cutBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const room = maxBytes - 3;
  const kept = new TextDecoder().decode(bytes.subarray(0, room)).replace(/\uFFFD+$/u, '');
  return `${kept}…`;
}

/** A bare server gets the path of its API. */
function alertsUrl(text: string): string {
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = '/api/v2/alerts';
  return url.href;
}

/** Labels tell alerts apart, so nothing that changes is among them. */
function alertsOf(message: Message, repeatAfterMs: number | undefined): readonly object[] {
  const { at, cluster, sender } = message;
  const common = {
    ...(cluster === undefined ? {} : { cluster }),
    notification: sender.namespace === undefined ? sender.name : `${sender.namespace}/${sender.name}`,
  };
  if (message.isTest) {
    const labels = { alertname: 'MendletTest', severity: 'none', ...common };
    const annotations = { summary: titleOf(message), description: `${nameOf(message)} can reach this target.` };
    return [{ labels, annotations, startsAt: formatTime(at), endsAt: formatTime(at + 60_000) }];
  }
  const life =
    repeatAfterMs === undefined
      ? MAX_ALERT_LIFE_MS
      : Math.min(MAX_ALERT_LIFE_MS, Math.max(MIN_ALERT_LIFE_MS, ALERT_PERIODS * repeatAfterMs));
  return message.notices.map((notice) => ({
    labels: {
      alertname: `Mendlet${notice.trigger}`,
      severity: notice.trigger === 'NeedsHuman' ? 'warning' : 'critical',
      ...common,
      object_kind: notice.objectKind,
      ...(notice.namespace === '' ? {} : { namespace: notice.namespace }),
      [notice.objectKind === 'Node' ? 'node' : 'object']: notice.name,
    },
    annotations: {
      summary: notice.headline,
      description: `${notice.cause}\n${notice.next}`,
      commands: notice.commands.join('\n'),
    },
    ...periodOf(notice, at, life),
  }));
}

/** Alertmanager refuses all alerts of a request when one of them ends before it starts, as clocks of nodes may have it. */
function periodOf({ since, endedAt }: ToldNotice, at: number, life: number): { startsAt: string; endsAt: string } {
  const end = endedAt ?? at + life;
  return { startsAt: formatTime(Math.min(since, at, end)), endsAt: formatTime(end) };
}
