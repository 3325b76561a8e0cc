/** Advice, and where more stands. Pure. */
import { firstWords, whole } from '../any-of.ts';

/** Where more may be found, and how to ask. */
const ADVICE = whole(
  // A logger may be called "report".
  /(?:please )?(?:(?:see|refer to|consult|run|use|try(?! \d)|visit)\b|(?:check|read|report)\b(?!:)).{0,200}/i,
  /for (?:more|further|help|details).{0,200}/i,
  /usage:.*/i,
  /hint:.*/i,
  /n\.?b\.?:? .*/i,
  /note:.*/i,
  /tip:.*/i,
  /did you mean.*/i,
  /(?:identify|consider|configure|ensure|verify|specify|correct|provide|increase|possible (?:solutions|values|causes)|valid (?:values|options))\b.{0,300}/i,
  /a complete log of this run.*/i,
  /if you (?:are|want|think|need|believe).*/i,
  /more (?:info(?:rmation)?|details)\b.*/i,
  /to learn more.*/i,
  /learn more.*/i,
  /examine the log.*/i,
  /https?:\/\/\S+/i,
  /you (?:can|may|should|might) .*/i,
  /make sure .*/i,
  /this (?:usually|error|is|may|could) .*/i,
  /to (?:list|see|show|get|view|find)\b.{0,60}\b(?:run|running|try|use|see|visit)\b.{0,100}/i,
  /options:.*/i,
  /alternatively,? .*/i,
  /(?:or )?(?:perhaps|maybe) .{0,300}/i,
  /available (?:commands|options).*/i,
  /available subcommands.*/i,
  /try '.*/i,
  /(?:legal|valid|allowed|supported|accepted|permitted|acceptable|possible) [\w -]{1,40}(?:(?: are| is| include)?:| are (?!not )["'`\w]| is one of).{0,300}/i,
  /(?:the |an? )?["'`][\w -]{1,40}["'`] (?:\w{1,20} )?(?:can|may|could|should|might) be used\b.{0,200}/i,
);

/** Words of advice within a sentence that goes over several lines. */
const ADVISES = /\b(?:please|you|your|visit|how to|learn more|mentioned above|knowledge base)\b/i;

export function advises(text: string): boolean {
  return ADVISES.test(text) || isAdvice(text);
}

export function isAdvice(text: string): boolean {
  return ADVICE.test(text.replace(/^[>*] /, ''));
}

/** Where more stands: no error of its own, whatever its level is. */
const POINTER = firstWords(
  /for (?:more|further|help|details|additional)/i,
  /(?:please )?(?:see|refer to|consult|visit)/i,
  /a complete log/i,
  /the (?:error|problem|offending line|issue) (?:appears|seems) to be/i,
);

export function isPointer(text: string): boolean {
  return POINTER.test(text);
}
