import { Controller, Get, Redirect } from '@nestjs/common';
import { Public } from '../principal/allow.decorator.js';

/** Whoever types no more than the server's name comes to the console, by way of signing in where that is needed. */
@Controller()
@Public()
export class RootRedirectController {
  @Get()
  @Redirect('/console', 302)
  redirectToConsole() {}
}
