import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { renderMarkedText } from './render-marked-text.js';

const shown = (text: string) =>
  renderMarkedText(text)
    .toString()
    .replace(/<\/?mark[^>]*>/g, '');

describe('renderMarkedText', () => {
  it('leaves ordinary text of any language unchanged', () => {
    for (const text of [
      'Close INC-42, please.\n\tThanks',
      'Überweisung für Zoë',
      'Привет, как дела',
      '東京タワーへ行くUSBケーブル',
      '한국어 漢字 test',
      'नमस्ते दुनिया',
      'cs_a2a_hURv5G1t…',
    ])
      expect(renderMarkedText(text).toString()).toBe(text);
  });

  it('shows invisible characters and bidirectional overrides', () => {
    expect(shown('pay\u200bpal')).toBe('pay⟨U+200B⟩pal');
    expect(shown('exe.\u202egpj')).toBe('exe.⟨U+202E⟩gpj');
    expect(shown('a\u00a0b\u0000c\r')).toBe('a⟨U+00A0⟩b⟨U+0000⟩c⟨U+000D⟩');
    expect(shown('\u{e0041}\ufe0f\u00ad')).toBe('⟨U+E0041⟩⟨U+FE0F⟩⟨U+00AD⟩');
    expect(shown('lone \ud800')).toBe('lone ⟨U+D800⟩');
  });

  it('marks words of mixed scripts, and words that only look Latin', () => {
    expect(shown('pаypal.com')).toBe('pа⟨U+0430⟩ypal.com');
    expect(shown('to раура now')).toBe('to р⟨U+0440⟩а⟨U+0430⟩у⟨U+0443⟩р⟨U+0440⟩а⟨U+0430⟩ now');
  });

  it('handles digits, accents, compatibility characters and single letters', () => {
    for (const text of ['РО1234', 'АСНЕ2024', 'ссе\u0301', '𝗉𝖺𝗒𝗉𝖺𝗅', 'ＡＤＭＩＮ', 'ᏢᎪᎽ', 'pay а fee'])
      expect(renderMarkedText(text).toString()).toContain('<mark');
    for (const text of ['я и с ним в городе', 'Η ώρα είναι 5', 'A4, 20 °C', 'x²'.slice(0, 1)])
      expect(renderMarkedText(text).toString()).toBe(text);
  });

  it('never outputs unescaped markup or an invisible character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const inside = shown(text);
        expect(inside).not.toMatch(/[<>"'`]/);
        expect(inside).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
