import type { Readable } from 'node:stream';
import type { TranscriptTurn } from './call.ts';
import type { NewPersona } from './persona.ts';

/** What a trainee's browser connects with, once. */
export type VoiceSession = { token: string; conversationId: string };

/** A conversation that is over, in our words: what a webhook tells of it and what the provider answers when asked are the same. */
export type EndedConversation = {
  conversationId: string;
  turns: TranscriptTurn[];
  durationSeconds: number | null;
  /** How often the trainee cut the customer short; null where the provider does not tell. */
  interruptions: number | null;
  /** Whether there is a recording to fetch; null where the provider does not tell. */
  hasAudio: boolean | null;
};

/** `unknown`: the provider has no such conversation, also when nobody ever connected. `going`: ask again later. */
export type ConversationState =
  | { state: 'going' | 'unknown' }
  | { state: 'ended'; conversation: EndedConversation }
  | { state: 'failed'; reason: string };

export type Recording = { content: Readable; contentType: string };

/** Whoever lends simulated customers their voices and holds the conversations. */
export type VoiceProvider = {
  /** @throws VoiceFailure */
  openSession(agentId: string): Promise<VoiceSession>;
  /** @throws VoiceFailure */
  conversation(conversationId: string): Promise<ConversationState>;
  /** Undefined while there is none, or none yet. @throws VoiceFailure, in its stream too */
  recording(conversationId: string): Promise<Recording | undefined>;
  /** Has the provider delete what it keeps of a conversation, sound included. @throws VoiceFailure */
  deleteConversation(conversationId: string): Promise<'forgotten' | 'unknown'>;
  /** Makes the agent that speaks for a persona. @returns its id @throws VoiceFailure */
  createAgent(persona: NewPersona): Promise<string>;
};

/** The provider is down, slow, refuses us, or answers nonsense. The message is for our logs and operators alone. */
export class VoiceProviderError extends Error {
  override readonly name = 'VoiceFailure';
}

/** Some ten hours of speech; the temporary folder of a function, through which a recording goes, holds 512 MB. */
export const RECORDING_BYTES_MAX = 300 * 1024 * 1024;

/** The provider has, or sends, more sound than is kept: asking again would not change it. */
export class RecordingTooLargeError extends VoiceProviderError {
  constructor() {
    super('The voice provider has more than 300 MB of sound for one call.');
  }
}
