import { applyDecorators } from '@nestjs/common';
import { IsString, Length, Matches } from 'class-validator';

/** One line of text that can be stored and shown: no control characters, something besides blanks. */
export const IsText = (longest: number) =>
  applyDecorators(
    IsString(),
    Length(1, longest),
    Matches(/^(?=.*\S)[^\p{Cc}\p{Cs}]*$/u, { message: '$property has to be one line of text that can be shown' }),
  );
