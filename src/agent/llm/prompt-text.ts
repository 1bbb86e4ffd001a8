declare const allowed: unique symbol;

/**
 * Text that may be part of a prompt. It has three sources: our own text (`promptText`), text of the caller or of the model
 * (`conversationText`), and all other text through `Fence.wrap`. The type excludes plain strings.
 */
export type PromptText = string & { readonly [allowed]: true };

/** Our own text, which may embed other prompt text. */
export function promptText(words: TemplateStringsArray, ...between: readonly (PromptText | number)[]): PromptText {
  return String.raw({ raw: words }, ...between) as PromptText;
}

/** For text of the caller's messages and of the model's earlier turns. */
export const conversationText = (text: string): PromptText => text as PromptText;

/** Reduces a tool name, state or id to characters that cannot form a sentence. */
export const safeName = (text: string): PromptText => text.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(0, 64) as PromptText;

export const joinPromptText = (texts: readonly (PromptText | null)[], by: '\n' | '\n\n' | ' '): PromptText =>
  texts.filter((text) => text !== null && text !== '').join(by) as PromptText;
