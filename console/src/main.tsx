// The entry of the console.
import { render } from 'preact'
import { App } from './app'

render(<App />, document.querySelector('#app')!)
