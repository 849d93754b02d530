import type { Conversation } from './conversations.ts';

/** A conversation in the format of `GET /v1/convai/conversations/{id}` of ElevenLabs and of its webhook. */
export function conversationJson(conversation: Conversation) {
  const { id, agentId, turns, startedAtMs, seconds, language } = conversation;
  const unreachable = conversation.state === 'unreachable';
  return {
    agent_id: agentId,
    agent_name: 'Rehearsal agent',
    conversation_id: id,
    status: unreachable ? 'failed' : 'done',
    user_id: null,
    branch_id: null,
    transcript: turns.map((turn) => turnJson(turn, agentId)),
    metadata: metadataJson({ startedAtMs, seconds, language, unreachable }),
    analysis: {
      evaluation_criteria_results: {},
      data_collection_results: {},
      call_successful: unreachable ? 'failure' : 'unknown',
      transcript_summary: 'A scripted rehearsal on this machine, without speech.',
    },
    conversation_initiation_client_data: {
      conversation_config_override: { agent: { prompt: null, first_message: null, language }, tts: { voice_id: null } },
      custom_llm_extra_body: {},
      dynamic_variables: {},
    },
    has_audio: !unreachable,
    has_user_audio: !unreachable,
    has_response_audio: !unreachable,
  };
}

const turnJson = (turn: Conversation['turns'][number], agentId: string) => ({
  ...turn,
  agent_metadata: turn.role === 'agent' ? { agent_id: agentId, branch_id: null, workflow_node_id: null } : null,
  multivoice_message: null,
  tool_calls: null,
  tool_results: null,
  feedback: null,
  llm_override: null,
  conversation_turn_metrics: null,
  rag_retrieval_info: null,
  llm_usage: null,
  original_message: null,
  source_medium: turn.role === 'user' ? 'audio' : null,
});

type MetadataInput = Pick<Conversation, 'startedAtMs' | 'seconds' | 'language'> & { unreachable: boolean };

const metadataJson = ({ startedAtMs, seconds, language, unreachable }: MetadataInput) => ({
  start_time_unix_secs: Math.floor(startedAtMs / 1_000),
  accepted_time_unix_secs: Math.floor(startedAtMs / 1_000),
  call_duration_secs: seconds,
  cost: 0,
  deletion_settings: { deletion_time_unix_secs: null, delete_transcript_and_pii: false, delete_audio: false },
  feedback: { overall_score: null, likes: 0, dislikes: 0 },
  authorization_method: 'signed_url',
  charging: { dev_discount: false },
  phone_call: null,
  termination_reason: unreachable ? 'no-answer' : 'Call ended by remote party',
  error: null,
  main_language: language,
  text_only: false,
});

/** The body of the webhook for a conversation that has ended or could not start. */
export function eventJson(conversation: Conversation, nowMs: number) {
  const event_timestamp = Math.floor(nowMs / 1_000);
  if (conversation.state !== 'unreachable') {
    return { type: 'post_call_transcription', event_timestamp, data: conversationJson(conversation) };
  }
  const { agentId: agent_id, id: conversation_id } = conversation;
  const body = { sip_status_code: 480, sip_status: 'Temporarily unavailable', error_reason: 'No answer (SIP 480)' };
  const data = { agent_id, conversation_id, failure_reason: 'no-answer', metadata: { type: 'sip', body } };
  return { type: 'call_initiation_failure', event_timestamp, data };
}
