// Frames on demand. Nothing is drawn, and no animation frame is asked for, while nothing has changed.
//
// Two ways to a frame: wake() asks for the next animation frame; drawNow() draws inside the event handler that calls it,
// because browsers allow copying, saving, opening files and raising the soft keyboard only there.
mergeInto(LibraryManager.library, {
  $loop: {
    wanted: 0,       // frames still to draw
    request: 0,      // the pending animation frame
    drawing: false,
    lost: false,     // the WebGL context is gone for the moment
    draws: true,     // false without WebGL 2: the text version is the whole page
    frames: 0,
    later: [],       // events that arrived while a frame was being drawn (a focus change fires at once)
    busy: 0,         // work that will come back: file reads, a delayed address
    waiting: [],     // settle() promises
    worker: null,    // the messages that carry on with work between frames
    quietFocus: false,
  },

  $wake__deps: ['$loop', '$tick'],
  $wake: function(frames) {
    loop.wanted = Math.max(loop.wanted, frames);
    if (!loop.request && !loop.drawing && !loop.lost) loop.request = requestAnimationFrame(tick);
  },

  $tick__deps: ['$loop', '$drawFrame', '$wake', '$settled'],
  $tick: function() {
    loop.request = 0;
    loop.wanted--;
    drawFrame();
    if (loop.wanted > 0) wake(loop.wanted);
    settled();
  },

  // Returns whether ImGui holds back events for a further frame.
  $drawFrame__deps: ['$loop'],
  $drawFrame: function() {
    if (loop.drawing || loop.lost) return false;
    loop.drawing = true;
    loop.frames++;
    var more = loop.draws && _browser_frame(performance.now());
    loop.drawing = false;
    while (loop.later.length) loop.later.shift()();
    return !!more;
  },

  $drawNow__deps: ['$drawFrame', '$wake'],
  $drawNow: function() {
    // ImGui takes a press and its release in separate frames; four are enough for a tap.
    for (var i = 0; i < 4 && drawFrame(); i++) {}
    wake(2);
  },

  $whenDrawn__deps: ['$loop'],
  $whenDrawn: function(event) {
    if (loop.drawing) loop.later.push(event); else event();
  },

  $busy__deps: ['$loop', '$settled'],
  $busy: function(change) {
    loop.busy += change;
    settled();
  },

  $settled__deps: ['$loop'],
  $settled: function() {
    if (loop.wanted > 0 || loop.busy > 0 || loop.drawing) return;
    while (loop.waiting.length) loop.waiting.shift()();
  },

  // What is not drawn can still be read. Without a first frame, or when a lost context is not given back, the text version
  // becomes the page. A hidden tab is given no frames, so the time does not run there.
  $expectFrames__deps: ['$loop', '$textVersion'],
  $expectFrames: function() {
    setTimeout(function() {
      if (document.hidden) return document.addEventListener('visibilitychange', expectFrames, {once: true});
      if (loop.frames && !loop.lost) return;
      document.documentElement.classList.add('undrawn');
      textVersion(true);
    }, 4000);
  },

  js_wake__deps: ['$wake'],
  js_wake: function(frames) { wake(frames); },

  // Work between frames. A message to oneself comes at once, and after input and frames; a timeout would wait 4 ms.
  js_work__deps: ['$loop', '$busy'],
  js_work: function() {
    if (loop.worker) return;
    busy(1);
    loop.worker = new MessageChannel();
    loop.worker.port1.onmessage = function() {
      if (_browser_work()) return loop.worker.port2.postMessage(0);
      loop.worker.port1.close();
      loop.worker = null;
      busy(-1);
    };
    loop.worker.port2.postMessage(0);
  },

  // Everything the page listens to, and the read-only surface for tests.
  js_listen__deps: ['$loop', '$settled', '$read', '$listenCanvas', '$listenPointer', '$listenKeys', '$listenFiles', '$listenPage',
                    '$listenForm', '$textVersion', '$expectFrames'],
  js_listen: function(version, draws) {
    loop.draws = !!draws;
    if (draws) {
      listenCanvas();
      listenPointer();
      listenKeys();
    }
    listenFiles();
    listenPage();
    listenForm();
    if (draws) {
      expectFrames();
    } else {
      document.documentElement.classList.add('undrawn');
      textVersion(true);
    }
    var text = read(version);
    window['app'] = Object.freeze({
      'version': text,
      get 'ready'() { return loop.frames > 0; },
      'frames': function() { return loop.frames; },
      'state': function() { return read(_browser_state()); },
      'settle': function() {
        return new Promise(function(resolve) { loop.waiting.push(resolve); settled(); });
      },
    });
  },
});
