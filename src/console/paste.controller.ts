import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../principal/allow.decorator.js';
import { pasteScript } from './paste.js';

/** A file of ours, the same for everybody. */
@Controller('assets/paste.js')
@Public()
export class PasteController {
  @Get()
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=86400')
  script() {
    return pasteScript.content;
  }
}
